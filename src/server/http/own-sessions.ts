import type { Principal } from "../auth/principal.ts";
import { HttpSession } from "./http-session.ts";
import type { HttpSessions } from "./http-sessions.ts";
import type { SessionTable } from "./session-table.ts";
import type { Heartbeat } from "./sse-stream.ts";

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
