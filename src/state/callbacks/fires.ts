import { AppError } from "../../base/errors.ts";
import {
  callbackLinesMax,
  callbackMessageCharsMax,
  callbackNotesCharsMax,
  callbackSampleTokensMax,
} from "../../base/limits.ts";
import { shownMessage } from "../../base/shown-state.ts";

/** One fire of a callback. */
export interface Fire {
  /** Counted from 1 for each client: no two fires of a client have the same. */
  readonly fireId: number;
  readonly callbackId: number;
  readonly message: string;
  /** -1 = forever. */
  readonly firesLeft: number;
}

/** The message of a fire, marked as text that was given to SetCallback, not a new request of the user. */
function reminderText({ message }: Fire, charsMax: number): string {
  return `Reminder set with SetCallback: ${shownMessage(message, charsMax)}`;
}

/** A fire on one line. */
function fireLine(fire: Fire, messageCharsMax: number): string {
  const { callbackId, fireId } = fire;
  return `[Callback ${callbackId}, fire ${fireId}] ${reminderText(fire, messageCharsMax)}`;
}

/** The ways to a client that is connected just now. */
export interface FireWays {
  /** True when it was sent: the client takes channel messages and reads just now. */
  pushToChannel(content: string, meta: Readonly<Record<string, string>>): boolean;
  /** True when it was sent: the client wants messages of level `info` and reads just now. */
  logInfo(logger: string, data: unknown): boolean;
  /** The client has a model that may be asked, and reads just now. */
  readonly canSample: boolean;
  /** Rejects with an AppError: `system` when the client refused, `cancelled` when it did not answer. */
  sample(params: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** Notifies connected clients of fires, once at most by each way. Missed fires are in their mailbox. */
export class FireAnnouncer {
  readonly #model: string;
  /** Clients with a sampling request that is not answered yet. */
  readonly #asked = new Set<string>();
  /** Clients that refused one: each may be a question to the user, and costs a run of the model. */
  readonly #refusing = new Set<string>();

  /** @param model the hint given in sampling requests */
  constructor(model: string) {
    this.#model = model;
  }

  announce(clientId: string, fire: Fire, connections: readonly FireWays[]): void {
    const { callbackId, fireId, firesLeft } = fire;
    const text = reminderText(fire, callbackMessageCharsMax);
    const meta = { callback_id: String(callbackId), fire_id: String(fireId) };
    connections.some((ways) => ways.pushToChannel(text, meta));
    const message = shownMessage(fire.message, callbackMessageCharsMax);
    const data = { callbackId, fireId, message, firesLeft };
    connections.some((ways) => ways.logInfo("callbacks", data));
    if (this.#asked.has(clientId) || this.#refusing.has(clientId)) return;
    const sampling = connections.find((ways) => ways.canSample);
    if (sampling !== undefined) void this.#sample(clientId, text, sampling);
  }

  /** A client that refused may be asked again: it wants reminders again, or it is gone. */
  forgive(clientId: string): void {
    this.#refusing.delete(clientId);
  }

  async #sample(clientId: string, text: string, ways: FireWays): Promise<void> {
    this.#asked.add(clientId);
    try {
      await ways.sample({
        messages: [{ role: "user", content: { type: "text", text } }],
        modelPreferences: { hints: [{ name: this.#model }] },
        maxTokens: callbackSampleTokensMax,
      });
    } catch (error) {
      // A client that ended or did not answer has not refused, and one that ended must not be remembered.
      const isRefusal = error instanceof AppError && error.code === "system";
      if (isRefusal) this.#refusing.add(clientId);
    } finally {
      this.#asked.delete(clientId);
    }
  }
}

/** The mailbox of each client that had fires. A client keeps its own to its end, because fires are counted in it. */
export class Mailboxes {
  readonly #mailboxes = new Map<string, Mailbox>();
  /** The clients that have one. */
  readonly clients: { has(clientId: string): boolean } = this.#mailboxes;

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

  /** Called when the lines of `linesFor` are on their way, and nothing has fired in between. */
  delivered(clientId: string): void {
    this.#mailboxes.get(clientId)?.clear();
  }

  /** The mailbox of a client as it is kept for another process; undefined when it never had one. */
  saved(clientId: string): SavedMailbox | undefined {
    return this.#mailboxes.get(clientId)?.saved();
  }

  /** Takes over the mailbox that another process had. Nothing for a client that has one. */
  restore(clientId: string, saved: SavedMailbox): void {
    if (!this.#mailboxes.has(clientId)) this.#mailboxes.set(clientId, new Mailbox(saved));
  }

  endClient(clientId: string): void {
    this.#mailboxes.delete(clientId);
  }

  forgetAll(): void {
    this.#mailboxes.clear();
  }
}

/** A mailbox as it is kept for another process. */
export interface SavedMailbox {
  readonly lastFireId: number;
  readonly fires: readonly Fire[];
  /** How many fires have no line of their own, by callback. */
  readonly unlisted: readonly (readonly [callbackId: number, count: number])[];
}

const emptyMailbox: SavedMailbox = { lastFireId: 0, fires: [], unlisted: [] };

/** Fires that no tool result has reported to one client yet. */
export class Mailbox {
  /** In their order. */
  readonly #fires: Fire[];
  /** How many fires have no line of their own, by callback. */
  readonly #unlisted: Map<number, number>;
  #lastFireId: number;

  constructor({ lastFireId, fires, unlisted }: SavedMailbox = emptyMailbox) {
    this.#fires = [...fires];
    this.#unlisted = new Map(unlisted);
    this.#lastFireId = lastFireId;
  }

  saved(): SavedMailbox {
    return { lastFireId: this.#lastFireId, fires: [...this.#fires], unlisted: [...this.#unlisted] };
  }

  /** Adds a fire. When there are too many, the oldest of the callback that has most is dropped: a quick one does not hide a slow one. */
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
