import { upstreamIdleSessionMs, upstreamLinksPerServerMax } from "../../base/upstream-limits.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import type { Isolation } from "../config/server-entry.ts";
import type { Era } from "../connect/connection.ts";
import type { UpstreamCall } from "../upstreams.ts";
import type { LaunchTarget } from "./launch-target.ts";
import { ManagedConnection } from "./managed-connection.ts";
import type { ConnectionListener, ManagerParts } from "./manager-parts.ts";
import { RecentFailures } from "./restart-limits.ts";

type Apps = AppSupport | undefined;

/**
 * All connections to one server. A legacy server learns once, at the handshake, whether its client shows apps, so
 * clients that show them and clients that do not have separate connections. A stateless server learns it with each
 * request.
 */
export class ConnectionSets {
  readonly #parts: ManagerParts;
  readonly #listener: ConnectionListener;
  readonly #knownEra: () => Era | undefined;
  #main: ServerConnections;
  readonly #others = new Map<Apps, ServerConnections>();

  constructor(
    target: LaunchTarget,
    parts: ManagerParts,
    listener: ConnectionListener,
    knownEra: () => Era | undefined,
  ) {
    this.#parts = parts;
    this.#listener = listener;
    this.#knownEra = knownEra;
    this.#main = this.#make(target);
  }

  /** The connections whose lists are used. */
  get main(): ServerConnections {
    return this.#main;
  }

  /** The connections for a client that shows apps, or does not. */
  of(apps: Apps): ServerConnections {
    const { target } = this.#main;
    if (apps === target.apps || this.#knownEra() === "modern") return this.#main;
    const known = this.#others.get(apps) ?? this.#make(target.showing(apps));
    this.#others.set(apps, known);
    return known;
  }

  /** The connection whose lists must have been read before `link` of `links` is called; it may be `link` itself. */
  listed(links: ServerConnections, link: ManagedConnection): ManagedConnection {
    return links === this.#main && !links.target.keepsListsApart ? link : this.#main.forLists();
  }

  /** A client shows apps now: from here on the lists are those for such a client. */
  show(apps: Apps): void {
    const before = this.#main;
    const next = this.of(apps);
    if (next === before) return;
    this.#others.delete(apps);
    this.#others.set(before.target.apps, before);
    this.#main = next;
    const connection = next.primary?.connection;
    if (connection !== undefined) this.#listener.onConnected(connection);
    else if (before.primary !== undefined) next.forLists().want();
  }

  /** Applies other settings to the same launch; false when the launch differs. */
  retarget(target: LaunchTarget): boolean {
    const { target: before } = this.#main;
    const next = target.showing(before.apps);
    if (next.key !== before.key) return false;
    this.#main.retarget(next);
    for (const [apps, links] of this.#others) links.retarget(target.showing(apps));
    return true;
  }

  /** Tells servers that may ask for roots that these have changed. */
  tellRoots(): void {
    for (const links of this.#all) links.tellRoots();
  }

  /** Ends connections that served only this client. */
  endClient(clientId: string): void {
    for (const links of this.#all) links.endClient(clientId);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((links) => links.stop()));
  }

  get #all(): readonly ServerConnections[] {
    return [this.#main, ...this.#others.values()];
  }

  #make(target: LaunchTarget): ServerConnections {
    const listener = this.#listener;
    const isMain = (): boolean => links === this.#main;
    const links: ServerConnections = new ServerConnections(
      target,
      this.#parts,
      {
        ...listener,
        onBegun: () => isMain() && listener.onBegun(),
        onConnected: (connection) => isMain() && listener.onConnected(connection),
        onListChanged: (list) => isMain() && listener.onListChanged(list),
      },
      this.#knownEra,
    );
    return links;
  }
}

/** The owner of a connection. */
type Caller = Pick<UpstreamCall, "clientId" | "workspace" | "owner">;

/** A connection for one call. */
interface LentConnection {
  readonly link: ManagedConnection;
  /** Call it when the call has ended. */
  readonly giveBack: () => void;
}

/** The scope of a connection without owner: it is started for the lists, and the first caller gets it. */
const unowned = "";
/** The prefix of scopes of connections for one call. */
const oneCall = "call:";

/** The connections to one server: one for all, or one for each principal, session, workspace or call (IS5). */
export class ServerConnections {
  #target: LaunchTarget;
  readonly #parts: ManagerParts;
  readonly #listener: ConnectionListener;
  readonly #knownEra: () => Era | undefined;
  readonly #links = new Map<string, ManagedConnection>();
  readonly #failures = new RecentFailures();
  #primary: ManagedConnection | undefined;
  /** The one that was made last. */
  #newest: ManagedConnection | undefined;
  #starts = 0;

  constructor(
    target: LaunchTarget,
    parts: ManagerParts,
    listener: ConnectionListener,
    knownEra: () => Era | undefined,
  ) {
    this.#target = target;
    this.#parts = parts;
    this.#listener = listener;
    this.#knownEra = knownEra;
  }

  get target(): LaunchTarget {
    return this.#target;
  }

  /** Applies other settings to the same launch; limits take effect with the next call. */
  retarget(target: LaunchTarget): void {
    target.follow(this.#target);
    this.#target = target;
  }

  /** The connection whose lists are used; undefined while none was wanted. */
  get primary(): ManagedConnection | undefined {
    return this.#primary;
  }

  /** The number of starts over all connections. */
  get starts(): number {
    return [...this.#links.values()].reduce((sum, { starts }) => sum + starts, this.#starts);
  }

  /** The last lines on stderr of its newest connection. */
  stderr(): readonly string[] {
    return this.#newest?.stderr() ?? [];
  }

  /** The connection for lists; `want` starts it. */
  forLists(): ManagedConnection {
    return (this.#primary ??= this.#make(unowned));
  }

  /** Undefined when there are too many already. */
  forCall(caller: Caller): LentConnection | undefined {
    if (this.#isolation === "call") return this.#forOneCall(caller.owner);
    const scope = this.#scopeOf(caller);
    const link =
      this.#links.get(scope) ?? this.#adopt(scope) ?? this.#makeNext(scope, caller.owner);
    if (link === undefined) return undefined;
    return { link, giveBack: link.use() };
  }

  /** Tells servers that may ask for roots that these have changed. */
  tellRoots(): void {
    if (this.#target.roots !== "client" && this.#target.roots !== "workspace") return;
    for (const { connection } of this.#links.values()) connection?.tellRootsChanged();
  }

  /** Ends the connection that served only this client. */
  endClient(clientId: string): void {
    if (this.#isolation === "session") void this.#end(`client:${clientId}`);
  }

  /** Servers that start for each call are not kept running for their lists. */
  onListsRead(): void {
    if (this.#isolation === "call") void this.#end(unowned);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#links.keys()].map((scope) => this.#end(scope)));
  }

  get #isolation(): Isolation {
    return this.#target.isolation;
  }

  #scopeOf({ clientId, workspace, owner = "" }: Caller): string {
    switch (this.#isolation) {
      case "session":
        return `client:${clientId}`;
      case "user":
        return `user:${owner}`;
      case "workspace":
        return `workspace:${workspace ?? ""}`;
      case "shared":
      case "call":
        return unowned;
    }
  }

  /** The first caller gets the connection that was started for the lists, which saves a process. */
  #adopt(scope: string): ManagedConnection | undefined {
    if (this.#target.keepsListsApart) return undefined;
    const link = this.#links.get(unowned);
    if (link === undefined) return undefined;
    this.#links.delete(unowned);
    this.#links.set(scope, link);
    return link;
  }

  #makeNext(scope: string, owner: string | undefined): ManagedConnection | undefined {
    return this.#links.size >= upstreamLinksPerServerMax ? undefined : this.#make(scope, owner);
  }

  #make(scope: string, owner?: string): ManagedConnection {
    const link =
      this.#isolation === "shared"
        ? this.#share()
        : this.#newLink((made) => (made() === this.#primary ? this.#listener : this.#quiet()), {
            owner,
            isForOneCall: scope.startsWith(oneCall),
          });
    this.#links.set(scope, link);
    if (scope === unowned || !this.#target.keepsListsApart) this.#primary ??= link;
    this.#newest = link;
    return link;
  }

  /** The listener of further connections: their lists are not read, and one principal gets no updates of another. */
  #quiet(): ConnectionListener {
    const none = (): void => {};
    const quiet = { ...this.#listener, onBegun: none, onConnected: none, onListChanged: none };
    return this.#target.keepsListsApart ? { ...quiet, onResourceUpdated: none } : quiet;
  }

  #share(): ManagedConnection {
    const { pool } = this.#parts;
    const make = (audience: ConnectionListener): ManagedConnection => this.#newLink(() => audience);
    const link = pool.acquire(this.#target.key, this.#listener, make);
    if (link.isBegun) this.#listener.onBegun();
    const { connection } = link;
    // It was connected before this listener was added.
    if (connection !== undefined) queueMicrotask(() => this.#listener.onConnected(connection));
    return link;
  }

  #newLink(
    audienceOf: (link: () => ManagedConnection) => ConnectionListener,
    { owner, isForOneCall = false }: { owner?: string | undefined; isForOneCall?: boolean } = {},
  ): ManagedConnection {
    const { idleStopS, restart } = this.#target.configured.entry.options;
    const idleMs = idleStopS * 1_000;
    const isShared = this.#isolation === "shared";
    const audience = (): ConnectionListener => audienceOf(() => link);
    const link: ManagedConnection = new ManagedConnection({
      prepare: (signal, tell) => this.#target.prepare(signal, tell, owner),
      open: (events, signal, opening, prepared) =>
        this.#target.open(this.#knownEra(), events, signal, opening, { owner, prepared }),
      turns: this.#parts.turns,
      time: this.#parts.linkTime,
      failures: this.#failures,
      // A call does not wait for a restart.
      restarts: restart && !isForOneCall,
      idleStopMs: isShared || idleMs > 0 ? idleMs : upstreamIdleSessionMs,
      events: {
        onListChanged: (list) => audience().onListChanged(list),
        onResourceUpdated: (uri) => audience().onResourceUpdated(uri),
        onLog: (level, data, logger) => audience().onLog(level, data, logger),
        onStray: (text) => audience().onStray(text),
      },
      onBegun: () => audience().onBegun(),
      onState: () => audience().onState(),
      onConnected: (connection) => audience().onConnected(connection),
    });
    return link;
  }

  #forOneCall(owner: string | undefined): LentConnection | undefined {
    const scope = oneCall + crypto.randomUUID();
    const link = this.#makeNext(scope, owner);
    if (link === undefined) return undefined;
    const end = link.use();
    return {
      link,
      giveBack: () => {
        end();
        void this.#end(scope);
      },
    };
  }

  /** Picks another connection for lists and subscriptions after the primary one ended. */
  #elect(): void {
    const isApart = this.#target.keepsListsApart;
    const others = isApart ? [] : [...this.#links.values()];
    this.#primary = others.find(({ connection }) => connection !== undefined) ?? others[0];
    const connection = this.#primary?.connection;
    if (connection === undefined || this.#isolation === "call") return;
    this.#listener.onConnected(connection);
  }

  async #end(scope: string): Promise<void> {
    const link = this.#links.get(scope);
    if (link === undefined) return;
    this.#links.delete(scope);
    if (this.#primary === link) this.#elect();
    if (this.#isolation === "shared") {
      return this.#parts.pool.release(this.#target.key, this.#listener);
    }
    this.#starts += link.starts;
    await link.stop();
    this.#listener.onState();
  }
}
