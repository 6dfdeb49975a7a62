import { upstreamChangeGatherMs } from "../../base/upstream-limits.ts";
import { startTimer, type Timer } from "../../base/timer.ts";
import type { UpstreamSnapshot } from "../../upstream/snapshot.ts";
import type { UpstreamEvent, Upstreams } from "../../upstream/upstreams.ts";
import type { Changes } from "../changes.ts";
import { listedKey, listedOf } from "./upstream-listings.ts";

type ListKind = "tools" | "prompts" | "resources";

/**
 * Tells clients what has changed of other servers: lists once for all that changes together, and the list of tools only
 * when something that is listed has changed (CN14, DF5).
 */
export class UpstreamChanges {
  readonly #upstreams: Pick<Upstreams, "snapshot" | "listen">;
  readonly #changes: Changes;
  readonly #waiting = new Set<ListKind>();
  readonly #stop: () => void;
  #timer: Timer | undefined;
  #listed: string | undefined;

  constructor(upstreams: Pick<Upstreams, "snapshot" | "listen">, changes: Changes) {
    this.#upstreams = upstreams;
    this.#changes = changes;
    this.#stop = upstreams.listen((event) => this.#onEvent(event));
  }

  /** The first list is given now: nobody has anything yet that could have changed before. */
  note(snapshot: UpstreamSnapshot): void {
    this.#listed = listedKey(listedOf(snapshot));
    this.#waiting.clear();
  }

  close(): void {
    this.#stop();
    this.#timer?.stop();
  }

  #onEvent(event: UpstreamEvent): void {
    if (event.kind === "resource-updated") {
      return this.#changes.emit({ kind: "resource", uri: event.uri });
    }
    if (event.kind !== "snapshot" || this.#listed === undefined) return;
    for (const list of event.changed) this.#waiting.add(list === "servers" ? "tools" : list);
    if (this.#waiting.size > 0)
      this.#timer ??= startTimer(upstreamChangeGatherMs, () => this.#tell());
  }

  #tell(): void {
    this.#timer = undefined;
    const kinds = [...this.#waiting];
    this.#waiting.clear();
    for (const kind of kinds) {
      if (kind === "tools" && !this.#isListChanged()) continue;
      this.#changes.emit({ kind });
    }
  }

  /** Most servers and tools come and go without being listed. */
  #isListChanged(): boolean {
    const { snapshot } = this.#upstreams;
    if (snapshot === undefined) return false;
    const key = listedKey(listedOf(snapshot));
    if (key === this.#listed) return false;
    this.#listed = key;
    return true;
  }
}
