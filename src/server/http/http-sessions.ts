import { httpSessionIdleMsMax, httpSessionsMax } from "../../base/limits.ts";
import { Shares } from "../../base/turns.ts";
import type { Principal } from "../auth/principal.ts";
import type { RequestIds } from "../connection/client-requests.ts";
import type { ClientProfile } from "../connection/session.ts";
import type { ServedConnection, ServerContext } from "../context/server-context.ts";
import { type EventLog, EventMemory } from "../transport/http/event-store.ts";
import type { TokenStateOf } from "./sse-stream.ts";

export interface HttpSessionsParts {
  readonly server: ServerContext;
  /** The client of one session; its `id` names the session's live state. */
  readonly sessionProfile: (session: LegacySession) => ClientProfile;
  /** Ends everything of the session's identity outside of the server, such as background tasks. */
  readonly onEnd: (clientId: string) => void;
  readonly sessionsMax?: number;
  /** The part of them that one principal may have; all when it is not given. */
  readonly principalPart?: number | undefined;
  readonly idleMsMax?: number;
  /** In a fleet: the ids of requests to clients. */
  readonly requestIds?: RequestIds | undefined;
  /** In a fleet: keeps the events of a session for its other replicas too. */
  readonly createLog?: LegacySessionParts["createLog"];
}

/** The fate of sessions that other replicas know too. */
export interface SessionKeeper {
  /** Its token was withdrawn. */
  withdrawn(session: LegacySession): void;
  /** Nobody has used it here for long. */
  idle(session: LegacySession): void;
  /** A long call or a stream uses it. */
  inUse(session: LegacySession): void;
}

/** How often idle sessions are looked for. */
const sweepMs = 60_000;
/** 192 random bits: above the 128 that TH9 asks for. */
const idBytes = 24;

/** The legacy sessions of one endpoint, of every kind. An id is a name, not a proof: a session belongs to its principal. */
export class HttpSessions {
  readonly #parts: HttpSessionsParts;
  readonly #sessions = new Map<string, LegacySession>();
  readonly #places: Shares;
  readonly #memory = new EventMemory();
  readonly #sweeping = setInterval(() => this.#sweep(), sweepMs).unref();
  /** Keeps the sessions of a fleet; without a fleet, sessions just end. */
  keeper: SessionKeeper | undefined;

  constructor(parts: HttpSessionsParts) {
    this.#parts = parts;
    this.#places = new Shares(parts.sessionsMax ?? httpSessionsMax, parts.principalPart);
  }

  get size(): number {
    return this.#sessions.size;
  }

  get requestsInFlight(): number {
    let sum = 0;
    for (const { connection } of this.#sessions.values()) sum += connection.inFlight.size;
    return sum;
  }

  /** Characters that their streams keep for clients that come back. */
  get eventChars(): number {
    return this.#memory.chars;
  }

  /** Undefined when there are as many as there may be, in all or of this principal. */
  create<S extends LegacySession>(
    principal: Principal,
    Kind: SessionKind<S>,
    prefix = "",
  ): S | undefined {
    if (!this.#places.hasRoomFor(principal.id)) this.#sweep();
    if (!this.#places.hasRoomFor(principal.id)) return undefined;
    const id = crypto.getRandomValues(Buffer.alloc(idBytes)).toString("base64url");
    return this.#make(prefix + id, principal, Kind);
  }

  /** A session that another replica has made; undefined when there are as many here as there may be. */
  adopt<S extends LegacySession>(
    id: string,
    principal: Principal,
    Kind: SessionKind<S>,
  ): S | undefined {
    return this.#places.hasRoomFor(principal.id) ? this.#make(id, principal, Kind) : undefined;
  }

  #make<S extends LegacySession>(id: string, principal: Principal, Kind: SessionKind<S>): S {
    const { server, sessionProfile: profile, requestIds: ids, createLog } = this.#parts;
    const memory = this.#memory;
    const session = new Kind({ id, principal, server, memory, profile, ids, createLog });
    this.#sessions.set(id, session);
    this.#places.take(principal.id);
    return session;
  }

  /** Undefined for an id that is unknown, ended, somebody else's or of another kind: the answer is the same. */
  find<S extends LegacySession>(
    id: string,
    principal: Principal,
    Kind: SessionKind<S>,
  ): S | undefined {
    const session = this.#sessions.get(id);
    if (!(session instanceof Kind) || session.principal.id !== principal.id) return undefined;
    session.principal = principal;
    session.usedAt = performance.now();
    return session;
  }

  /** A session of any principal: not for requests. */
  get(id: string): LegacySession | undefined {
    return this.#sessions.get(id);
  }

  all(): IterableIterator<LegacySession> {
    return this.#sessions.values();
  }

  /** Cancels its work and ends its streams. */
  end(session: LegacySession): void {
    if (!this.#sessions.delete(session.id)) return;
    this.#places.giveBack(session.principal.id);
    const { connection } = session;
    connection.inFlight.cancelAll();
    connection.clientRequests.close();
    connection.server.release(connection);
    session.closeStreams();
    this.#parts.onEnd(connection.session.clientId);
  }

  /** Ends the sessions of withdrawn tokens. */
  review(tokenStateOf: TokenStateOf): void {
    for (const session of this.#sessions.values()) {
      const state = tokenStateOf(session.principal);
      if (state === "withdrawn") this.#withdraw(session);
      else if (state === "expired") session.expire();
    }
  }

  /** Resolves when no request of any session is under way. */
  async settled(): Promise<void> {
    for (const { connection } of this.#sessions.values()) {
      connection.inFlight.endSubscriptions();
      await connection.inFlight.settled();
    }
  }

  /** The server is going: clients learn how soon to come back. */
  drain(): void {
    for (const session of this.#sessions.values()) session.drain();
  }

  close(): void {
    clearInterval(this.#sweeping);
    for (const session of this.#sessions.values()) this.end(session);
  }

  #withdraw(session: LegacySession): void {
    if (this.keeper === undefined) this.end(session);
    else this.keeper.withdrawn(session);
  }

  #idle(session: LegacySession): void {
    if (this.keeper === undefined) this.end(session);
    else this.keeper.idle(session);
  }

  #sweep(): void {
    const oldest = performance.now() - (this.#parts.idleMsMax ?? httpSessionIdleMsMax);
    for (const session of this.#sessions.values()) {
      // A long call or stream is use until it ends.
      if (session.isBusy) {
        session.usedAt = performance.now();
        this.keeper?.inUse(session);
      } else if (session.usedAt < oldest) this.#idle(session);
    }
  }
}

/** A legacy session over HTTP, whatever carries its messages. */
export interface LegacySession {
  readonly id: string;
  /** Only this principal may use it. Its scopes are those of the newest request: tokens are renewed. */
  principal: Principal;
  /** On the clock of `performance.now()`. */
  usedAt: number;
  readonly connection: ServedConnection;
  /** True: it is not idle, however long ago it was used. */
  readonly isBusy: boolean;
  /** The token has expired: what would stay open without end is closed; a client with a new one comes back. */
  expire(): void;
  /** The server is going: its streams say how soon the client shall come back, and those that nothing is under way for end. */
  drain(): void;
  /** The session has ended, its work is cancelled. */
  closeStreams(): void;
}

export interface LegacySessionParts {
  readonly id: string;
  /** The principal that made it. */
  readonly principal: Principal;
  readonly server: ServerContext;
  /** Bounds what the streams of all sessions keep. */
  readonly memory: EventMemory;
  readonly profile: (session: LegacySession) => ClientProfile;
  /** See `HttpSessionsParts`. */
  readonly ids?: RequestIds | undefined;
  /** @param memory bounds what is kept in this process */
  readonly createLog?: ((session: LegacySession, memory: EventMemory) => EventLog) | undefined;
}

/** A class of sessions. */
type SessionKind<S extends LegacySession> = new (parts: LegacySessionParts) => S;
