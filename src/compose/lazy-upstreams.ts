import { forwarding, Lazy } from "../base/lazy.ts";
import { upstreamAppearMs } from "../base/upstream-limits.ts";
import type { AppSupport } from "../protocol/client-capabilities.ts";
import { emptySnapshot } from "../upstream/empty-snapshot.ts";
import type { ServerProcesses } from "../upstream/process/server-processes.ts";
import type { ServerInfo } from "../upstream/server-state.ts";
import type { UpstreamSnapshot } from "../upstream/snapshot.ts";
import type { ClientPlace, UpstreamEvent, Upstreams } from "../upstream/upstreams.ts";
import type { UpstreamOptions } from "../upstream/worker/upstream-options.ts";

export interface LazyUpstreamsParts {
  readonly createWorker: () => Worker;
  /** Whether some file may name a server; some 50 µs. */
  readonly mayHaveServers: () => boolean;
  readonly options: () => Promise<UpstreamOptions>;
  /** Awaited before the Worker is started. */
  readonly beforeStart: () => Promise<unknown>;
  /** Starts servers; made with the first one. */
  readonly processes: () => Promise<ServerProcesses>;
  readonly warn: (message: string) => void;
}

/**
 * Other servers, of which nothing is loaded while no file names one. Whether one does by now is looked at every two
 * seconds, once somebody has asked.
 */
export class LazyUpstreams implements Upstreams {
  readonly #parts: LazyUpstreamsParts;
  readonly #listeners = new Set<(event: UpstreamEvent) => void>();
  readonly #upstreams: Lazy<Upstreams> = new Lazy(() => this.#make());
  readonly #calls = forwarding(
    () => this.#upstreams.get(),
    ["call", "checkArguments", "search", "control"],
  );
  readonly call = this.#calls.call;
  readonly checkArguments = this.#calls.checkArguments;
  readonly search = this.#calls.search;
  readonly control = this.#calls.control;
  #look: ReturnType<typeof setInterval> | undefined;
  #apps: AppSupport | undefined;

  constructor(parts: LazyUpstreamsParts) {
    this.#parts = parts;
  }

  /** True when there may be other servers: what follows is worth loading. */
  get isWanted(): boolean {
    if (this.#upstreams.isClosed) return false;
    if (this.#upstreams.making !== undefined || this.#parts.mayHaveServers()) return true;
    this.#look ??= setInterval(() => this.#lookAgain(), upstreamAppearMs).unref();
    return false;
  }

  get snapshot(): UpstreamSnapshot | undefined {
    return this.#upstreams.made?.snapshot;
  }

  async settled(
    ...[waitMs, isEnough]: Parameters<Upstreams["settled"]>
  ): Promise<UpstreamSnapshot> {
    if (!this.isWanted) return emptySnapshot;
    const deadline = performance.now() + waitMs;
    try {
      const upstreams = await this.#upstreams.get();
      return await upstreams.settled(Math.max(0, deadline - performance.now()), isEnough);
    } catch {
      return this.snapshot ?? emptySnapshot;
    }
  }

  /** A client has said whether it shows the apps of servers; of several the one that shows most counts. */
  meet(apps: AppSupport | undefined): void {
    if (apps === undefined || this.#apps === apps || this.#apps === "pages") return;
    this.#apps = apps;
    // One that fails starts anew, with what is known by then.
    this.#upstreams.making
      ?.then((upstreams) => upstreams.control({ kind: "show-apps", apps }))
      .catch(() => {});
  }

  /** From now on several principals are served; one that starts later is told with its options. */
  async serveSeveral(): Promise<void> {
    const upstreams = await this.#upstreams.making;
    await upstreams?.control({ kind: "several-principals" });
  }

  async infoList(): Promise<readonly ServerInfo[]> {
    return this.isWanted ? (await this.#upstreams.get()).infoList() : [];
  }

  async subscribe(uri: string, clientId: string): Promise<boolean> {
    return this.isWanted ? (await this.#upstreams.get()).subscribe(uri, clientId) : false;
  }

  unsubscribe(uri: string, clientId: string): void {
    this.#upstreams.made?.unsubscribe(uri, clientId);
  }

  endClient(clientId: string): void {
    this.#upstreams.made?.endClient(clientId);
  }

  /** The client works elsewhere now. What is not loaded yet begins there. */
  async moveTo(place: ClientPlace): Promise<void> {
    const { making } = this.#upstreams;
    if (making === undefined) return;
    await (await making).control({ kind: "switch-project", ...place });
  }

  listen(listener: (event: UpstreamEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#upstreams.close();
    clearInterval(this.#look);
    await this.#upstreams.made?.[Symbol.asyncDispose]();
  }

  #lookAgain(): void {
    const { isClosed } = this.#upstreams;
    if (!isClosed && !this.#parts.mayHaveServers()) return;
    clearInterval(this.#look);
    // Its first snapshot says that the lists have changed.
    if (!isClosed) void this.settled(0);
  }

  async #make(): Promise<Upstreams> {
    const { createWorker, beforeStart, processes, warn } = this.#parts;
    const [{ UpstreamClient }, options] = await Promise.all([
      import("../upstream/worker/upstream-client.ts"),
      this.#parts.options(),
      beforeStart(),
    ]);
    this.#upstreams.assertOpen();
    clearInterval(this.#look);
    const met = this.#apps === undefined ? options : { ...options, apps: this.#apps };
    const client = new UpstreamClient({ createWorker, options: met, processes, warn });
    client.listen((event) => {
      for (const listener of this.#listeners) listener(event);
    });
    return client;
  }
}
