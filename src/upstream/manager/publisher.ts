import { startTimer, type Timer } from "../../base/timer.ts";
import { upstreamPublishMs } from "../../base/upstream-limits.ts";
import type { ServerInfo } from "../server-state.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import type { UpstreamEvent } from "../upstreams.ts";
import type { UpstreamHost } from "../worker/upstream-work.ts";

type Changed = Extract<UpstreamEvent, { kind: "snapshot" }>["changed"];
type ListName = Changed[number];

/** What of a snapshot clients are shown, as texts that can be compared. */
type Faces = Readonly<Record<ListName | "rest", string>>;

/** Gives the main thread a new snapshot when something has changed, ten times a second at most. */
export class Publisher {
  readonly #host: UpstreamHost;
  readonly #compose: () => Omit<UpstreamSnapshot, "revision">;
  #faces: Faces | undefined;
  #revision = 0;
  #timer: Timer | undefined;
  /** What is known at once goes into one snapshot, which is published as soon as that is all. */
  #publishedAt = performance.now();
  #isClosed = false;

  constructor(host: UpstreamHost, compose: () => Omit<UpstreamSnapshot, "revision">) {
    this.#host = host;
    this.#compose = compose;
  }

  /** Something may have changed. */
  later(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#publishedAt + upstreamPublishMs - performance.now());
    this.#timer = startTimer(waitMs, () => this.now());
  }

  /** At once: for the first one. */
  now(): void {
    if (this.#isClosed) return;
    this.#timer?.stop();
    this.#timer = undefined;
    const snapshot = this.#compose();
    const faces = facesOf(snapshot);
    const before = this.#faces;
    const changed = listNames.filter((name) => before?.[name] !== faces[name]);
    if (before !== undefined && changed.length === 0 && before.rest === faces.rest) return;
    this.#faces = faces;
    this.#publishedAt = performance.now();
    this.#host.publish({ revision: ++this.#revision, ...snapshot });
    this.#host.notify({ kind: "snapshot", changed });
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.stop();
  }
}

const listNames: readonly ListName[] = ["tools", "prompts", "resources", "servers"];

function facesOf(snapshot: Omit<UpstreamSnapshot, "revision">): Faces {
  const { servers, tools, prompts, resources, templates, ...rest } = snapshot;
  return {
    // What is hidden can change without a client seeing it (DF5, CN14).
    tools: JSON.stringify([snapshot.isDeferred, tools.flatMap(({ listing }) => listing ?? [])]),
    prompts: JSON.stringify(prompts.map(({ listing }) => listing)),
    resources: JSON.stringify([resources, templates]),
    servers: JSON.stringify(servers.map(standingFacts)),
    rest: JSON.stringify([rest, tools.map(({ listing: _listing, ...hidden }) => hidden)]),
  };
}

/** Without what changes with each call and each second. */
function standingFacts(info: ServerInfo): unknown {
  const { name, state, reason, pid, era, tools, resources, prompts, blocked, starts } = info;
  return { name, state, reason, pid, era, tools, resources, prompts, blocked, starts };
}
