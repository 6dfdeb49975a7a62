import { AppError } from "../../base/errors.ts";
import { callbackMessageCharsMax, callbackSampleTokensMax } from "../../base/limits.ts";
import { shownMessage } from "../../base/callback-text.ts";
import { type Fire, reminderText } from "./fire.ts";

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

/** Tells connected clients of fires, by each way once at most. What they missed is in their mailbox. */
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
