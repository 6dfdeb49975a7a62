import { questionRepliesMax, requestStateMsMax } from "../../base/limits.ts";
import type { QuestionsReply } from "../../tools/question-service.ts";

interface Earlier {
  readonly reply: QuestionsReply;
  /** On the clock of `performance.now()`. */
  readonly until: number;
}

/**
 * Answers for calls that may run again from their start because of a later question: the user is not asked twice. Kept for as
 * long as such a call may come back.
 */
export class EarlierReplies {
  readonly #msMax: number;
  /** Oldest first. */
  readonly #replies = new Map<string, Earlier>();

  constructor(msMax: number = requestStateMsMax) {
    this.#msMax = msMax;
  }

  find(key: string): QuestionsReply | undefined {
    const earlier = this.#replies.get(key);
    return earlier !== undefined && earlier.until > performance.now() ? earlier.reply : undefined;
  }

  keep(key: string, reply: QuestionsReply): void {
    this.#replies.delete(key);
    this.#replies.set(key, { reply, until: performance.now() + this.#msMax });
    const [oldest] = this.#replies.keys();
    if (this.#replies.size > questionRepliesMax && oldest !== undefined) {
      this.#replies.delete(oldest);
    }
  }
}
