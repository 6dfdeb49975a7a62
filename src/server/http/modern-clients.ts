import type { Principal } from "../auth/principal.ts";
import type { StandingOf } from "./standing-watch.ts";

interface ModernClient {
  /** With the newest token. */
  readonly principal: Principal;
  readonly clientId: string;
}

/** The principals that have sent modern requests. Their background work outlasts these requests, but not their token. */
export class ModernClients {
  readonly #clients = new Map<string, ModernClient>();
  readonly #onEnd: (clientId: string) => void;

  /** @param onEnd what hangs on the identity of a client, such as background tasks, is to end */
  constructor(onEnd: (clientId: string) => void) {
    this.#onEnd = onEnd;
  }

  note(principal: Principal, clientId: string): void {
    this.#clients.set(principal.id, { principal, clientId });
  }

  review(standingOf: StandingOf): void {
    for (const { principal, clientId } of this.#clients.values()) {
      const standing = standingOf(principal);
      if (standing === "valid") continue;
      // One whose token has expired comes back with a new one to its tasks.
      if (standing === "withdrawn") this.#onEnd(clientId);
      this.#clients.delete(principal.id);
    }
  }
}
