import type { ClassifiedMessage } from "../../protocol/message.ts";
import type { Principal } from "../auth/principal.ts";
import { HttpSession } from "./http-session.ts";
import type { HttpSessions } from "./http-sessions.ts";
import type { Heartbeat } from "./sse-stream.ts";

/**
 * The sessions of Streamable HTTP, as those who serve them see them: those of this process alone, or those that the replicas of a
 * fleet share. A known session is given at once. A promise rejects with an AppError that names the engine which is away.
 */
export interface SessionTable {
  /** Whether other replicas know the sessions too. */
  readonly isShared: boolean;
  /** Makes a session known; false when its principal has as many as it may have. */
  begin(session: HttpSession): boolean | Promise<boolean>;
  /** Undefined for an id that is unknown, ended or somebody else's: the answer is the same. */
  find(id: string, principal: Principal): Found | Promise<Found>;
  /** Resolves when all replicas know the state of the session as it is; undefined when they do. */
  saved(session: HttpSession): Promise<void> | undefined;
  /** Takes a message that may be for a request of another replica there. */
  relay(session: HttpSession, message: ClassifiedMessage): void;
  /** Cancels all work of the session and ends its streams, everywhere. */
  end(session: HttpSession): void | Promise<void>;
  /** Answers GET with `Last-Event-ID`; undefined for an id that is unknown or gone. */
  resume(
    session: HttpSession,
    lastEventId: string,
    heartbeat: Heartbeat,
  ): Response | undefined | Promise<Response | undefined>;
  /** Answers GET: the stream for what belongs to no request. Undefined when a client reads it already. */
  openOwnStream(
    session: HttpSession,
    heartbeat: Heartbeat,
  ): Response | undefined | Promise<Response | undefined>;
}

type Found = HttpSession | undefined;

/** Makes the table of an endpoint; `sessions` are those that this process knows. */
export type MakeSessionTable = (sessions: HttpSessions) => SessionTable;

/** The sessions of this process, which nobody else serves. */
export class OwnSessions implements SessionTable {
  readonly isShared = false;
  readonly #sessions: HttpSessions;

  constructor(sessions: HttpSessions) {
    this.#sessions = sessions;
  }

  begin(): boolean {
    return true;
  }

  find(id: string, principal: Principal): HttpSession | undefined {
    return this.#sessions.find(id, principal, HttpSession);
  }

  saved(): undefined {
    return undefined;
  }

  relay(): void {}

  end(session: HttpSession): void {
    this.#sessions.end(session);
  }

  resume(session: HttpSession, lastEventId: string): Response | undefined {
    return session.resume(lastEventId);
  }

  openOwnStream(session: HttpSession, heartbeat: Heartbeat): Response | undefined {
    return session.openOwnStream(heartbeat);
  }
}
