import { joinMessages } from "./messages.ts";

/** Answers that are gathered wait no longer than this for each other. */
const gatherMsMax = 1;

/**
 * What a Worker sends. One answer goes out at once; the answers to jobs that came together go out
 * together, which wakes the main thread once and makes one write of them.
 */
export class WorkerOutbox {
  readonly #post: (text: string) => void;
  #waiting: string[] = [];
  #gatheringSince: number | undefined;

  constructor(post: (text: string) => void) {
    this.#post = post;
  }

  /** Holds what is sent until the current turn and all that follows from it is over. */
  gather(): void {
    if (this.#gatheringSince !== undefined) return;
    this.#gatheringSince = performance.now();
    setImmediate(() => {
      this.#gatheringSince = undefined;
      this.#flush();
    });
  }

  send(text: string): void {
    this.#waiting.push(text);
    const since = this.#gatheringSince;
    if (since === undefined || performance.now() - since > gatherMsMax) this.#flush();
  }

  /** For what cannot wait: the Worker is about to be ended. */
  sendNow(text: string): void {
    this.#waiting.push(text);
    this.#flush();
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    const messages = this.#waiting;
    this.#waiting = [];
    this.#post(joinMessages(messages));
  }
}
