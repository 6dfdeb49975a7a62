import { httpSessionIdleMsMax, httpSessionsMax } from "../../base/limits.ts";
import { Shares } from "../../base/turns.ts";
import type { Principal } from "../auth/principal.ts";
import type { ClientProfile } from "../connection/session.ts";
import type { ServedConnection, ServerContext } from "../context/server-context.ts";
import { EventMemory } from "../transport/http/event-store.ts";
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

  /** Undefined when there are as many as there may be, in all or of this principal. */
  create<S extends LegacySession>(principal: Principal, Kind: SessionKind<S>): S | undefined {
    if (!this.#places.hasRoomFor(principal.id)) this.#sweep();
    if (!this.#places.hasRoomFor(principal.id)) return undefined;
    const id = crypto.getRandomValues(Buffer.alloc(idBytes)).toString("base64url");
    const { server, sessionProfile } = this.#parts;
    const session = new Kind({
      id,
      principal,
      server,
      memory: this.#memory,
      profile: sessionProfile,
    });
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
      if (state === "withdrawn") this.end(session);
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

  close(): void {
    clearInterval(this.#sweeping);
    for (const session of this.#sessions.values()) this.end(session);
  }

  #sweep(): void {
    const oldest = performance.now() - (this.#parts.idleMsMax ?? httpSessionIdleMsMax);
    for (const session of this.#sessions.values()) {
      // A long call or stream counts as use until it ends.
      if (session.isBusy) session.usedAt = performance.now();
      else if (session.usedAt < oldest) this.end(session);
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
}

/** A class of sessions. */
type SessionKind<S extends LegacySession> = new (parts: LegacySessionParts) => S;
