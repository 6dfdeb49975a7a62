import type { Fire } from "./fire.ts";
import { Mailbox } from "./mailbox.ts";

/** The mailbox of each client that had fires. A client keeps its own to its end, because fires are counted in it. */
export class Mailboxes {
  readonly #mailboxes = new Map<string, Mailbox>();

  /** Returns the fire, with its number. */
  post(clientId: string, fired: Omit<Fire, "fireId">): Fire {
    const mailbox = this.#mailboxes.get(clientId) ?? new Mailbox();
    this.#mailboxes.set(clientId, mailbox);
    return mailbox.add(fired);
  }

  /** Lines for the next result; empty when nothing waits. */
  linesFor(clientId: string): readonly string[] {
    return this.#mailboxes.get(clientId)?.lines() ?? [];
  }

  /** Those lines are on their way, and nothing has fired in between. */
  delivered(clientId: string): void {
    this.#mailboxes.get(clientId)?.clear();
  }

  endClient(clientId: string): void {
    this.#mailboxes.delete(clientId);
  }
}
