import { statSync } from "node:fs";
import { isAbsolute } from "node:path";

import { startTimer } from "../base/cancellation.ts";
import { messageOf } from "../base/errors.ts";
import { forwarding, Lazy } from "../base/lazy.ts";
import { skillListMsMax } from "../base/limits.ts";
import { upstreamAppearMs } from "../base/upstream-limits.ts";
import type { ClientContext } from "../calls/call.ts";
import { startIn, type StartUp } from "../cli/start-up.ts";
import type { AppSupport } from "../protocol/client-capabilities.ts";
import type { ServerProcesses } from "../upstream/process/server-processes.ts";
import type { ServerInfo } from "../upstream/server-state.ts";
import { emptySnapshot, type UpstreamSnapshot } from "../upstream/snapshot.ts";
import type { ClientPlace, UpstreamEvent, Upstreams } from "../upstream/upstreams.ts";
import type { UpstreamClientParts } from "../upstream/worker/upstream-client.ts";
import type { UpstreamOptions } from "../upstream/worker/upstream-options.ts";

/** The part of `UpstreamClientParts` that depends on who runs the servers. */
export type UpstreamPorts = Pick<UpstreamClientParts, "openPort" | "timing" | "portName">;

export interface LazyUpstreamsParts {
  /** How the upstream Worker is reached, or the hub in its place; called once. */
  readonly openPorts: () => Promise<UpstreamPorts>;
  /** Whether some file may name a server; some 50 µs. */
  readonly mayHaveServers: () => boolean;
  readonly options: () => Promise<UpstreamOptions>;
  /** Awaited before the Worker is started. */
  readonly beforeStart: () => Promise<unknown>;
  /** Starts servers; made with the first one. */
  readonly processes: () => Promise<ServerProcesses>;
  readonly warn: (message: string) => void;
  /** See `UpstreamClientParts`. */
  readonly onState?: ((isUp: boolean) => void) | undefined;
}

/**
 * Upstream servers, of which nothing is loaded while no file names one. Whether one does by now is checked every two
 * seconds, after the first request.
 */
export class LazyUpstreams implements Upstreams {
  readonly #parts: LazyUpstreamsParts;
  readonly #listeners = new Set<(event: UpstreamEvent) => void>();
  readonly #upstreams: Lazy<Upstreams> = new Lazy(() => this.#make());
  readonly #calls = forwarding(
    () => this.#upstreams.get(),
    ["checkArguments", "search", "control"],
  );
  readonly checkArguments = this.#calls.checkArguments;
  readonly search = this.#calls.search;
  readonly control = this.#calls.control;
  #look: ReturnType<typeof setInterval> | undefined;
  #apps: AppSupport | undefined;
  /** The answer of `mayHaveServers` in this turn. */
  #seen: boolean | undefined;

  constructor(parts: LazyUpstreamsParts) {
    this.#parts = parts;
  }

  /** True when there may be upstream servers: their code is worth loading. */
  get isWanted(): boolean {
    if (this.#upstreams.isClosed) return false;
    if (this.#upstreams.making !== undefined || this.#mayHaveServers()) return true;
    this.#look ??= setInterval(() => this.#lookAgain(), upstreamAppearMs).unref();
    return false;
  }

  /** Looks at the files once in a turn: the handshake alone asks three times. */
  #mayHaveServers(): boolean {
    if (this.#seen === undefined) queueMicrotask(() => (this.#seen = undefined));
    this.#seen ??= this.#parts.mayHaveServers();
    return this.#seen;
  }

  /** Whether the token with which a principal comes may be traded for one of a server. */
  get tradesIdentity(): boolean {
    const { snapshot } = this;
    if (snapshot === undefined) return this.#upstreams.making !== undefined;
    return snapshot.rights.some(({ tradesIdentity }) => tradesIdentity === true);
  }

  get snapshot(): UpstreamSnapshot | undefined {
    return this.#upstreams.made?.snapshot;
  }

  call(...asked: Parameters<Upstreams["call"]>): ReturnType<Upstreams["call"]> {
    const { made } = this.#upstreams;
    return made?.call(...asked) ?? this.#upstreams.get().then((those) => those.call(...asked));
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

  /** A client has declared whether it shows the apps of servers; of several the one that shows most is used. */
  meet(apps: AppSupport | undefined): void {
    if (apps === undefined || this.#apps === apps || this.#apps === "pages") return;
    this.#apps = apps;
    // One that fails is started again, with the facts known by then.
    this.#upstreams.making
      ?.then((upstreams) => upstreams.control({ kind: "show-apps", apps }))
      .catch(() => {});
  }

  /** From now on several principals are served; one that starts later gets that with its options. */
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

  /** The client works elsewhere now. Parts that are not loaded yet begin there. */
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
    const { openPorts, beforeStart, processes, warn, onState } = this.#parts;
    const [{ UpstreamClient }, options, ports] = await Promise.all([
      import("../upstream/worker/upstream-client.ts"),
      this.#parts.options(),
      openPorts(),
      beforeStart(),
    ]);
    this.#upstreams.assertOpen();
    clearInterval(this.#look);
    const met = this.#apps === undefined ? options : { ...options, apps: this.#apps };
    const client = new UpstreamClient({ ...ports, options: met, processes, warn, onState });
    client.listen((event) => {
      for (const listener of this.#listeners) listener(event);
    });
    return client;
  }
}

interface FollowedProjectParts {
  readonly start: StartUp;
  /** Called at each move; must not be slow to return. */
  readonly onMove: (place: ClientPlace) => Promise<void>;
  readonly warn: (message: string) => void;
}

/**
 * The project of the one client that this process serves: that of the first folder here that it offers, else that in which the
 * process was started. The upstream servers are notified of the current one.
 */
export class FollowedProject {
  readonly #parts: FollowedProjectParts;
  #folders: readonly string[] = [];
  #start: StartUp;
  /** The client has named its folders, and not said that they have changed. */
  #isKnown = false;
  #moving: Promise<void> = Promise.resolve();

  constructor(parts: FollowedProjectParts) {
    this.#parts = parts;
    this.#start = parts.start;
  }

  /** As it would be, had it begun in the present project. */
  get start(): StartUp {
    return this.#start;
  }

  get folders(): readonly string[] {
    return this.#folders;
  }

  /**
   * Undefined when there is nothing to wait for. Asks a client where it works that can say so, once until it says that this
   * has changed; waits for a moment only. Never rejects.
   */
  follow(client: ClientContext): Promise<void> | undefined {
    if (this.#isKnown || client.roots === undefined || client.isRemote === true) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = startTimer(skillListMsMax, resolve);
    void this.#follow(client).then(() => {
      timer.stop();
      resolve();
    });
    return promise;
  }

  /** The client says that it offers other folders: it is asked again. */
  forget(): void {
    this.#isKnown = false;
  }

  async #follow(client: ClientContext): Promise<void> {
    try {
      const folders = ((await client.roots?.()) ?? []).filter((folder) => isAbsolute(folder));
      if (folders.join("\0") !== this.#folders.join("\0")) this.#move(folders);
      await this.#moving;
      // One that was too slow may name some later.
      this.#isKnown = folders.length > 0;
    } catch (error) {
      this.#parts.warn(`The servers of the project could not be switched: ${messageOf(error)}`);
    }
  }

  #move(folders: readonly string[]): void {
    const { start, onMove } = this.#parts;
    // One that is not here (another machine's, a container's) holds no project, and no server could work in it.
    const first = folders.find(isFolder);
    this.#folders = folders;
    this.#start = first === undefined ? start : startIn(start, first);
    this.#moving = onMove({ projectDir: this.#start.dirs.projectDir ?? null, folders });
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
