import {
  upstreamIdleSessionMs,
  upstreamConnectionsPerServerMax,
} from "../../base/upstream-limits.ts";
import type { Isolation } from "../config/server-entry.ts";
import type { Era } from "../connect/connection.ts";
import type { UpstreamCall } from "../upstreams.ts";
import type { ClientTurns, ServedCall } from "./client-turns.ts";
import type {
  ConnectionListener,
  ConnectionPlan,
  ConnectionUser,
  SharedConnection,
} from "./connection-pool.ts";
import type { ConnectionStarter } from "./connection-parts.ts";
import type { LaunchTarget } from "./launch-target.ts";
import { ManagedConnection } from "./managed-connection.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { RecentFailures } from "./restart-limits.ts";

/** The owner of a connection. */
type Caller = Pick<UpstreamCall, "clientId" | "workspace" | "owner"> & {
  /** The login that the owner has now; undefined without one. */
  readonly login?: string | undefined;
};

/** A connection for one call. */
export interface LentConnection {
  readonly connection: ManagedConnection;
  /** Names the caller among all clients of the connection. */
  readonly client: string;
  /**
   * Resolves when the call may be made; undefined when it may be made at once.
   * @throws ConnectionSplit: lend another one; AppError `cancelled`
   */
  readonly turn: (signal: () => AbortSignal) => Promise<void> | undefined;
  /** Call it when the call has ended. */
  readonly giveBack: () => void;
}

/** A connection that these callers use, alone or with others. */
interface Held {
  readonly connection: ManagedConnection;
  /** Present where other configured servers may use it too. */
  readonly shared?: SharedConnection;
  /** Present while other clients of a hub may use it too. */
  turns?: ClientTurns | undefined;
  /** The login with which it was made, where each principal has its own. */
  readonly login?: string | undefined;
  /** The calls that use it. */
  uses: number;
  /** Ends it, or the use of it. */
  readonly end: () => Promise<void>;
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
  readonly #held = new Map<string, Held>();
  /** Given back with their last call. */
  readonly #left = new Set<Held>();
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
    return [...this.#held.values()].reduce(
      (sum, { connection }) => sum + connection.starts,
      this.#starts,
    );
  }

  /** The last lines on stderr of its newest connection. */
  stderr(): readonly string[] {
    return this.#newest?.stderr() ?? [];
  }

  /** The connection for lists; `want` starts it. */
  forLists(): ManagedConnection {
    return (this.#primary ??= this.#make(unowned).connection);
  }

  /** Undefined when there are too many already. */
  forCall(caller: Caller): LentConnection | undefined {
    if (this.#isolation === "call") return this.#forOneCall(caller);
    const scope = this.#scopeOf(caller);
    const known = this.#held.get(scope);
    // State that the server keeps for an earlier login is not for the next one, which may work where this did not.
    if (known !== undefined && known.login !== caller.login) this.#leave(scope, known);
    const held = this.#held.get(scope) ?? this.#adopt(scope) ?? this.#makeNext(scope, caller);
    return held === undefined ? undefined : this.#lend(held, caller.clientId);
  }

  /** Tells servers that may ask for roots that these have changed. */
  tellRoots(): void {
    const { roots, servesSeveral } = this.#target;
    if ((roots !== "client" && roots !== "workspace") || servesSeveral) return;
    for (const { connection } of this.#held.values()) connection.live?.tellRootsChanged();
  }

  /** Ends the connection that served only this client. */
  endClient(clientId: string): void {
    if (this.#isolation === "session") void this.#end(`client:${clientId}`);
  }

  /** Servers that start for each call are not kept running for their lists. */
  onListsRead(): void {
    if (this.#isolation === "call") void this.#end(unowned);
  }

  /** Each client has a process of its own from here on; those shared until now end with their last call. */
  separate(): void {
    if (!this.#target.isShared) return;
    this.#target = this.#target.separate();
    for (const [scope, held] of this.#held) {
      if (held.shared !== undefined) this.#leave(scope, held);
    }
  }

  /** Gives every connection back with its last call. */
  leave(): void {
    for (const [scope, held] of this.#held) this.#leave(scope, held);
  }

  async stop(): Promise<void> {
    const left = [...this.#left];
    this.#left.clear();
    await Promise.all([
      ...[...this.#held.keys()].map((scope) => this.#end(scope)),
      ...left.map((held) => held.end()),
    ]);
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

  #lend(held: Held, clientId: string): LentConnection {
    const endUse = held.connection.use();
    const { turns } = held;
    const client = this.#clientOf(clientId);
    let served: ServedCall | undefined;
    held.uses++;
    return {
      connection: held.connection,
      client,
      turn: (signal) => {
        const turn = turns?.begin(client, signal);
        if (turn instanceof Promise) return turn.then((call) => void (served = call));
        served = turn;
        return undefined;
      },
      giveBack: () => {
        endUse();
        held.uses--;
        if (served !== undefined) turns?.end(served);
        if (held.uses === 0 && this.#left.delete(held)) void held.end();
      },
    };
  }

  /** A client over all managers. */
  #clientOf(clientId: string): string {
    return `${this.#parts.manager}\n${clientId}`;
  }

  /** The first caller gets the connection that was started for the lists, which saves a process. */
  #adopt(scope: string): Held | undefined {
    if (this.#target.keepsListsApart) return undefined;
    const held = this.#held.get(unowned);
    if (held === undefined) return undefined;
    this.#held.delete(unowned);
    this.#held.set(scope, held);
    return held;
  }

  #makeNext(scope: string, caller: Caller): Held | undefined {
    return this.#held.size >= upstreamConnectionsPerServerMax
      ? undefined
      : this.#make(scope, caller);
  }

  #make(scope: string, caller?: Caller): Held {
    const held = this.#target.isShared ? this.#share(scope) : this.#own(scope, caller);
    this.#held.set(scope, held);
    if (scope === unowned || !this.#target.keepsListsApart) this.#primary ??= held.connection;
    this.#newest = held.connection;
    if (held.shared !== undefined) this.#join(held.connection);
    return held;
  }

  #own(scope: string, { owner, login }: Partial<Caller> = {}): Held {
    const isForOneCall = scope.startsWith(oneCall);
    const connection = this.#newConnection(
      {
        user: () => user,
        audience: this.#listenerOf(() => connection),
        before: undefined,
        onAsked: () => {},
      },
      { owner, isForOneCall },
    );
    const user = this.#user(this.#listener);
    return { connection, login, uses: 0, end: () => connection.stop() };
  }

  #share(scope: string): Held {
    const { pool, connectionTime } = this.#parts;
    const listener = this.#target.servesSeveral
      ? this.#listenerOf(() => shared.connection)
      : this.#listener;
    const user: ConnectionUser = {
      ...this.#user(listener),
      onSplit: (keeper) => this.#onSplit(held, keeper),
      onRenewed: () => this.#onRenewed(held),
    };
    const name = this.#target.nameOf(this.#sharedScope(scope));
    const shared = pool.acquire(name, user, connectionTime, (plan) => this.#newConnection(plan));
    if (this.#target.asks) shared.turns.serveOneByOne();
    const held: Held = {
      connection: shared.connection,
      shared,
      turns: this.#target.servesSeveral ? shared.turns : undefined,
      uses: 0,
      end: () => pool.release(name, shared, user),
    };
    return held;
  }

  /** Hears of events from before its listener was added: no call is made before the lists of a connection are read. */
  #join(connection: ManagedConnection): void {
    if (connection.isBegun) this.#listener.onBegun();
    const { live } = connection;
    if (live === undefined) return;
    if (connection === this.#primary || !this.#target.servesSeveral)
      this.#listener.onConnected(live);
  }

  /** The scope of other users of a connection: the one for lists is also that of the client's workspace. */
  #sharedScope(scope: string): string {
    if (this.#isolation === "shared") return unowned;
    return scope === unowned ? `workspace:${this.#parts.options.workspace ?? ""}` : scope;
  }

  #user(listener: ConnectionListener): ConnectionUser {
    return {
      server: this.#target.configured.entry.name,
      manager: this.#parts.manager,
      listener,
      starter: () => this.#target,
      knownEra: this.#knownEra,
    };
  }

  /** The listener of one connection: the lists of further ones are not read. */
  #listenerOf(connection: () => ManagedConnection): ConnectionListener {
    const quiet = this.#quiet();
    const listener = (): ConnectionListener =>
      connection() === this.#primary ? this.#listener : quiet;
    return {
      onState: (isNoted) => listener().onState(isNoted),
      onBegun: () => listener().onBegun(),
      onConnected: (connection) => listener().onConnected(connection),
      onListChanged: (list) => listener().onListChanged(list),
      onResourceUpdated: (uri) => listener().onResourceUpdated(uri),
      onManners: (isSeparate) => listener().onManners(isSeparate),
      onLog: (level, data, logger) => listener().onLog(level, data, logger),
      onStray: (text) => listener().onStray(text),
    };
  }

  /** The listener of further connections: their lists are not read, and one principal gets no updates of another. */
  #quiet(): ConnectionListener {
    const none = (): void => {};
    const quiet = { ...this.#listener, onBegun: none, onConnected: none, onListChanged: none };
    return this.#target.keepsListsApart ? { ...quiet, onResourceUpdated: none } : quiet;
  }

  /** Nothing of these callers is kept in it but the name of a user: the connection may outlive all of them. */
  #newConnection(
    { user, audience, before, onAsked }: ConnectionPlan,
    { owner, isForOneCall = false }: { owner?: string | undefined; isForOneCall?: boolean } = {},
  ): ManagedConnection {
    const { idleStopS, restart } = this.#target.configured.entry.options;
    const idleMs = idleStopS * 1_000;
    const { isShared } = this.#target;
    const { servesSeveral } = this.#target;
    return new ManagedConnection({
      hold: () => user().starter().hold(),
      prepare: async (signal, tell) => {
        if (servesSeveral) await before;
        return user().starter().prepare(signal, tell, owner);
      },
      open: (events, signal, opening, prepared) => {
        const { starter, knownEra } = user();
        const now = (): ConnectionStarter => user().starter();
        return starter().open(knownEra(), events, signal, opening, { owner, prepared, now });
      },
      turns: this.#parts.turns,
      time: this.#parts.connectionTime,
      // The failures of one client, or of one principal's login, are not those of another.
      failures: servesSeveral || this.#target.isPerUser ? new RecentFailures() : this.#failures,
      // A call does not wait for a restart.
      restarts: restart && !isForOneCall,
      idleStopMs: isShared || idleMs > 0 ? idleMs : upstreamIdleSessionMs,
      events: {
        onListChanged: (list) => audience.onListChanged(list),
        onResourceUpdated: (uri) => audience.onResourceUpdated(uri),
        onLog: (level, data, logger) => audience.onLog(level, data, logger),
        onStray: (text) => audience.onStray(text),
        ...(servesSeveral ? { onAsked } : {}),
      },
      onBegun: () => audience.onBegun(),
      onState: () => audience.onState(true),
      onConnected: (connection) => audience.onConnected(connection),
    });
  }

  #forOneCall(caller: Caller): LentConnection | undefined {
    const { clientId } = caller;
    const scope = oneCall + crypto.randomUUID();
    const held = this.#makeNext(scope, caller);
    if (held === undefined) return undefined;
    const end = held.connection.use();
    return {
      connection: held.connection,
      client: this.#clientOf(clientId),
      turn: () => undefined,
      giveBack: () => {
        end();
        void this.#end(scope);
      },
    };
  }

  /** @param keeper the client of this manager for which alone the process goes on */
  #onSplit(held: Held, keeper: string | undefined): void {
    this.#target = this.#target.separate();
    let isHere = false;
    for (const [scope, each] of this.#held) {
      if (each.shared === undefined) continue;
      if (each !== held || keeper === undefined) this.#leave(scope, each);
      else isHere = this.#held.delete(scope);
    }
    if (!isHere) return;
    held.turns = undefined;
    this.#held.set(`client:${keeper}`, held);
  }

  #onRenewed(held: Held): void {
    const isOfLists = held.connection === this.#primary;
    for (const [scope, each] of this.#held) if (each === held) this.#leave(scope, held);
    // Its changes and resources are followed on the next one.
    if (isOfLists) this.forLists().want();
  }

  #leave(scope: string, held: Held): void {
    this.#held.delete(scope);
    this.#starts += held.connection.starts;
    if (this.#primary === held.connection) this.#elect();
    if (held.uses === 0) void held.end();
    else this.#left.add(held);
  }

  /** Picks another connection for lists and subscriptions after the primary one ended. */
  #elect(): void {
    const isApart = this.#target.keepsListsApart;
    const others = isApart ? [] : [...this.#held.values()].map(({ connection }) => connection);
    this.#primary = others.find(({ live }) => live !== undefined) ?? others[0];
    const live = this.#primary?.live;
    if (live === undefined || this.#isolation === "call") return;
    this.#listener.onConnected(live);
  }

  async #end(scope: string): Promise<void> {
    const held = this.#held.get(scope);
    if (held === undefined) return;
    this.#held.delete(scope);
    if (this.#primary === held.connection) this.#elect();
    if (held.shared !== undefined) return held.end();
    this.#starts += held.connection.starts;
    await held.end();
    this.#listener.onState(true);
  }
}
