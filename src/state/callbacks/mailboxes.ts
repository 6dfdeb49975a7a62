import { callbackLinesMax, callbackNotesCharsMax } from "../../base/limits.ts";
import { fireLine } from "./fire.ts";
import type { Fire } from "./fire.ts";

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

/** Fires that no tool result has reported to one client yet. */
export class Mailbox {
  /** In their order. */
  readonly #fires: Fire[] = [];
  /** How many fires have no line of their own, by callback. */
  readonly #unlisted = new Map<number, number>();
  #lastFireId = 0;

  /** Of too many fires, the oldest of the callback that has most gives way: a quick one does not hide a slow one. */
  add({ callbackId, message, firesLeft }: Omit<Fire, "fireId">): Fire {
    this.#lastFireId += 1;
    const fire = { fireId: this.#lastFireId, callbackId, message, firesLeft };
    this.#fires.push(fire);
    if (this.#fires.length > callbackLinesMax) this.#unlistOne();
    return fire;
  }

  /** One line for each fire, and one that says how many more there were; empty when nothing waits. */
  lines(): readonly string[] {
    if (this.#fires.length === 0) return [];
    const charsMax = Math.floor(callbackNotesCharsMax / this.#fires.length);
    const lines = this.#fires.map((fire) => fireLine(fire, charsMax));
    return [...lines, ...this.#moreLine()];
  }

  clear(): void {
    this.#fires.length = 0;
    this.#unlisted.clear();
  }

  #unlistOne(): void {
    const callbackId = mostFrequent(this.#fires);
    const oldest = this.#fires.findIndex((fire) => fire.callbackId === callbackId);
    this.#fires.splice(oldest, 1);
    this.#unlisted.set(callbackId, (this.#unlisted.get(callbackId) ?? 0) + 1);
  }

  #moreLine(): readonly string[] {
    if (this.#unlisted.size === 0) return [];
    const counts = [...this.#unlisted].sort(([a], [b]) => a - b);
    const sum = counts.reduce((total, [, count]) => total + count, 0);
    const each = counts.map(([callbackId, count]) => `callback ${callbackId}: ${count}`).join(", ");
    return [`[${sum} earlier fires since the last result are not shown: ${each}]`];
  }
}

/** The callback with most fires; of several the one that fired first. */
function mostFrequent(fires: readonly Fire[]): number {
  const counts = new Map<number, number>();
  for (const { callbackId } of fires) counts.set(callbackId, (counts.get(callbackId) ?? 0) + 1);
  let most = -1;
  for (const [callbackId, count] of counts) {
    if (count > (counts.get(most) ?? 0)) most = callbackId;
  }
  return most;
}
