/** Collects the replies of one JSON-RPC batch; they go out as one array (legacy.md section 3). */
export class BatchReplies {
  readonly #send: (text: string) => void;
  readonly #replies: string[] = [];
  #expected = 0;
  #isComplete = false;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  /** A place for one reply, to be filled once; undefined fills it with nothing, for a cancelled request. */
  readonly expect = (): ((text: string | undefined) => void) => {
    this.#expected += 1;
    return (text) => {
      this.#expected -= 1;
      if (text !== undefined) this.#replies.push(text);
      this.#sendWhenComplete();
    };
  };

  /** All elements have been read: no more places will be asked for. */
  complete(): void {
    this.#isComplete = true;
    this.#sendWhenComplete();
  }

  /** Nothing is sent for a batch without replies: notifications, responses, cancelled requests. */
  #sendWhenComplete(): void {
    if (!this.#isComplete || this.#expected > 0 || this.#replies.length === 0) return;
    this.#send(`[${this.#replies.join(",")}]`);
  }
}
