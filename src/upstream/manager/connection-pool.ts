import { createHmac, randomBytes } from "node:crypto";
import { startTimer, type Timer } from "../../base/cancellation.ts";
import type {
  ConnectionEvents,
  Era,
  QuestionOrigin,
  UpstreamConnection,
} from "../connect/connection.ts";
import { ClientTurns } from "./client-turns.ts";
import type { ConnectionStarter, ConnectionTime } from "./connection-parts.ts";
import type { ManagedConnection } from "./managed-connection.ts";

/** Receives all events of a connection, alone or shared. */
export interface ConnectionListener extends Omit<ConnectionEvents, "onClosed" | "onAsked"> {
  /** @param isNoted true: write it to the log of the server */
  onState(isNoted: boolean): void;
  onBegun(): void;
  onConnected(connection: UpstreamConnection): void;
  /** The server asks clients; true: in a way that belongs to no call, so that no two clients may share it. */
  onManners(isSeparate: boolean): void;
}

/** One configured server that uses a connection. Equal users may share it, and each can start it. */
export interface ConnectionUser {
  /** The name of the server, and of its log. */
  readonly server: string;
  /** Names its manager among those that share the pool. */
  readonly manager: string;
  readonly listener: ConnectionListener;
  /** Starts it as the server is configured now. */
  readonly starter: () => ConnectionStarter;
  readonly knownEra: () => Era | undefined;
  /** Each client has a process of its own from here on. @param keeper the client of this user that keeps this one */
  readonly onSplit?: (keeper: string | undefined) => void;
  /** The next call needs another connection, shared with the same users. */
  readonly onRenewed?: () => void;
}

/** How to make a connection for its users. */
export interface ConnectionPlan {
  /** One of its present users, or the last one that there was. */
  readonly user: () => ConnectionUser;
  /** All present users. */
  readonly audience: ConnectionListener;
  /** Resolves when the previous connection of the same kind has ended. */
  readonly before: Promise<void> | undefined;
  /** @see ConnectionEvents.onAsked */
  readonly onAsked: NonNullable<ConnectionEvents["onAsked"]>;
}

export type MakeConnection = (plan: ConnectionPlan) => ManagedConnection;

/**
 * A connection with its users. It belongs to none of them: its first user may leave, and the others keep it and start
 * it again.
 */
export class SharedConnection {
  readonly connection: ManagedConnection;
  readonly turns: ClientTurns;
  readonly #users = new Set<ConnectionUser>();
  #last: ConnectionUser;
  #isSplit = false;
  readonly #onSplit: () => void;

  /** @param onSplit called when it stops being shared, before its users are notified */
  constructor(
    first: ConnectionUser,
    time: ConnectionTime,
    make: MakeConnection,
    before: Promise<void> | undefined,
    onSplit: () => void,
  ) {
    this.#last = first;
    this.#users.add(first);
    this.#onSplit = onSplit;
    this.turns = new ClientTurns(time, () => this.#split());
    this.connection = make({
      user: () => this.#user,
      audience: this.#audience(),
      before,
      onAsked: (about) => this.#onAsked(about),
    });
  }

  get users(): ReadonlySet<ConnectionUser> {
    return this.#users;
  }

  add(user: ConnectionUser): void {
    this.#users.add(user);
  }

  /** One user less. */
  remove(user: ConnectionUser): void {
    if (!this.#users.delete(user)) return;
    this.#last = user;
    this.connection.live?.forget(subscriberOf(user));
  }

  get #user(): ConnectionUser {
    const [first = this.#last] = this.#users;
    return first;
  }

  #onAsked(about: QuestionOrigin): void {
    if (about === "nothing") return this.#split();
    if (!this.turns.isOneByOne) {
      this.turns.serveOneByOne();
      for (const { listener } of this.#users) listener.onManners(false);
    }
    if (about === "left") this.#renew();
  }

  /** No question can be assigned here any more, because of a call whose end nobody hears of. */
  #renew(): void {
    if (this.#isSplit) return;
    this.#isSplit = true;
    this.#onSplit();
    for (const user of this.#users) user.onRenewed?.();
    this.turns.split();
  }

  /** The client that is served keeps this connection. */
  #split(): void {
    if (this.#isSplit) return;
    this.#isSplit = true;
    this.#onSplit();
    const [manager, clientId] = this.#keeper()?.split("\n") ?? [];
    const users = [...this.#users];
    for (const user of users) user.onSplit?.(user.manager === manager ? clientId : undefined);
    for (const { listener } of users) listener.onManners(true);
    this.turns.split();
  }

  /**
   * The client that is served, or the only one that ever was, unless the process may still be working on something for
   * another one.
   */
  #keeper(): string | undefined {
    const client = this.turns.onlyServed ?? this.turns.onlyCaller;
    return this.connection.live?.mayWorkForOthers(client) === false ? client : undefined;
  }

  #audience(): ConnectionListener {
    const tell = (act: (listener: ConnectionListener) => void): void => {
      for (const { listener } of this.#users) act(listener);
    };
    /** Users of the same name write to one log, which has each line once. */
    const note = (act: (listener: ConnectionListener, isNoted: boolean) => void): void => {
      const names = new Set<string>();
      for (const { server, listener } of this.#users) {
        act(listener, !names.has(server));
        names.add(server);
      }
    };
    return {
      onState: () => note((listener, isNoted) => listener.onState(isNoted)),
      onBegun: () => tell((listener) => listener.onBegun()),
      onConnected: (connection) => tell((listener) => listener.onConnected(connection)),
      onListChanged: (list) => tell((listener) => listener.onListChanged(list)),
      onResourceUpdated: (uri) => tell((listener) => listener.onResourceUpdated(uri)),
      onManners: (isSeparate) => tell((listener) => listener.onManners(isSeparate)),
      onLog: (level, data, logger) =>
        note((listener, isNoted) => isNoted && listener.onLog(level, data, logger)),
      onStray: (text) => note((listener, isNoted) => isNoted && listener.onStray(text)),
    };
  }
}

/** The name under which a server of one manager subscribes to resources. */
export function subscriberOf({
  manager,
  server,
}: Pick<ConnectionUser, "manager" | "server">): string {
  return `${manager}\n${server}`;
}

/** Connections that several configured servers share because they have the same launch (IS5, HB3). */
export class ConnectionPool {
  readonly #shared = new Map<string, SharedConnection>();
  /** Connections that nobody uses and that wait for another client. */
  readonly #resting = new Map<SharedConnection, Timer>();
  /** Managers whose clients have gone. */
  readonly #leaving = new Set<string>();
  readonly #lingerMs: number;
  readonly #endings = new Map<string, Promise<void>>();
  /** Names contain secrets: they are never written anywhere, and are of no use to anybody else. */
  readonly #key = randomBytes(32);

  /** @param lingerMs from the end of its last client to a connection's end */
  constructor(lingerMs = 0) {
    this.#lingerMs = lingerMs;
  }

  /** The number of connections. */
  get size(): number {
    return this.#shared.size;
  }

  /** A name for everything that decides who may share a connection. */
  nameOf(facts: string): string {
    return createHmac("sha256", this.#key).update(facts).digest("hex");
  }

  /** The connection with this name, created for its first user. */
  acquire(
    name: string,
    user: ConnectionUser,
    time: ConnectionTime,
    make: MakeConnection,
  ): SharedConnection {
    const known = this.#shared.get(name);
    if (known !== undefined) {
      this.#resting.get(known)?.stop();
      this.#resting.delete(known);
      known.add(user);
      return known;
    }
    const shared = new SharedConnection(user, time, make, this.#endings.get(name), () =>
      this.#remove(name, shared),
    );
    this.#shared.set(name, shared);
    return shared;
  }

  /** The client of a manager has gone: what it releases from here on waits for another client. */
  leave(manager: string): Disposable {
    this.#leaving.add(manager);
    return { [Symbol.dispose]: () => void this.#leaving.delete(manager) };
  }

  /** Ends the connection with its last user, or some time after its last client. */
  async release(name: string, shared: SharedConnection, user: ConnectionUser): Promise<void> {
    shared.remove(user);
    if (shared.users.size > 0) return;
    const isFree = this.#shared.get(name) === shared;
    const mayRest = this.#lingerMs > 0 && isFree && this.#leaving.has(user.manager);
    // After an update, another hub may be waiting for it.
    if (!mayRest || shared.connection.isExclusive) {
      return this.#end(name, shared);
    }
    const end = (): void => {
      this.#resting.delete(shared);
      void this.#end(name, shared);
    };
    this.#resting.set(shared, startTimer(this.#lingerMs, end));
  }

  async #end(name: string, shared: SharedConnection): Promise<void> {
    const ended = shared.connection.stop();
    this.#remove(name, shared);
    // The next one may need the same port or file.
    this.#endings.set(name, ended);
    await ended;
    if (this.#endings.get(name) === ended) this.#endings.delete(name);
  }

  #remove(name: string, shared: SharedConnection): void {
    if (this.#shared.get(name) === shared) this.#shared.delete(name);
  }
}
