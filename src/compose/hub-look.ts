import { startTimer, type Timer } from "../base/cancellation.ts";
import type { StartUp } from "../cli/start-up.ts";
import type { HubStatus } from "../hub/watch/hub-status.ts";
import type { HubWatch } from "../hub/watch/hub-watch.ts";
import type { HubFigures } from "../observe/metrics/gauges.ts";

/** Terminals are shown the state once a second: a link that nobody has used for this long is not needed. */
const idleMs = 10_000;

/** Looks at the hub for those who watch this server. It starts none, and keeps none alive. */
export class HubLook implements Disposable {
  readonly #start: Pick<StartUp, "dirs" | "config">;
  readonly #ended = new AbortController();
  #opening: Promise<HubWatch | undefined> | undefined;
  #idle: Timer | undefined;

  constructor(start: Pick<StartUp, "dirs" | "config">) {
    this.#start = start;
  }

  /** Undefined while there is none, or while it does not answer. */
  async status(): Promise<HubStatus | undefined> {
    if (this.#start.config.settings.hub.mode === "off" || process.platform === "win32") return;
    try {
      const watch = await this.#watch();
      return await watch?.status();
    } catch {
      this.#leave();
      return undefined;
    }
  }

  /** Idempotent. */
  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#leave();
  }

  async #watch(): Promise<HubWatch | undefined> {
    this.#idle?.stop();
    this.#idle = startTimer(idleMs, () => this.#leave());
    this.#opening ??= this.#open();
    const watch = await this.#opening;
    if (watch?.isClosed === false) return watch;
    // Another hub may be there by the next look.
    this.#opening = undefined;
    return undefined;
  }

  async #open(): Promise<HubWatch | undefined> {
    const [{ hubPlaceOf }, { openHubWatch }] = await Promise.all([
      import("../hub/link/hub-place.ts"),
      import("../hub/watch/hub-watch.ts"),
    ]);
    const place = hubPlaceOf(this.#start.dirs.scorpioxDir);
    return openHubWatch(place, this.#ended.signal);
  }

  #leave(): void {
    this.#idle?.stop();
    const opening = this.#opening;
    this.#opening = undefined;
    void opening?.then(
      (watch) => watch?.[Symbol.dispose](),
      () => {},
    );
  }
}

/** A server over HTTP uses a hub only with HUB=on. */
export function hubFiguresOf(start: StartUp): (() => Promise<HubFigures | undefined>) | undefined {
  if (start.config.settings.hub.mode !== "on") return undefined;
  const look = new HubLook(start);
  return async () => {
    const status = await look.status();
    if (status === undefined) return undefined;
    const keptTasks = status.kept.filter(({ state }) => state === "running").length;
    return { clients: status.clients.length, servers: status.servers.length, keptTasks };
  };
}
