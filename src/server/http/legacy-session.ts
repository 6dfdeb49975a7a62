import type { Principal } from "../auth/principal.ts";
import type { EventMemory } from "../transport/http/event-memory.ts";
import type { ServedConnection } from "../context/server-context.ts";
import type { ServerContext } from "../context/server-context.ts";
import type { ClientProfile } from "../connection/session.ts";

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
export type SessionKind<S extends LegacySession> = new (parts: LegacySessionParts) => S;
