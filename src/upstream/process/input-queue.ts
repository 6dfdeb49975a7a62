import { AppError, messageOf } from "../../base/errors.ts";
import {
  upstreamInputAtOnceChars,
  upstreamInputsWaitingMax,
  upstreamInputWaitingBytesMax,
} from "../../base/upstream-limits.ts";

interface Waiting {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (error: AppError) => void;
}

/**
 * Writes to a server in order; what came while the pipe was full goes out together. A server that does not read holds up
 * its own writers only.
 */
export class InputQueue {
  readonly #server: string;
  readonly #write: (text: string) => Promise<void>;
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  #isWriting = false;
  #failure: AppError | undefined;

  constructor(server: string, write: (text: string) => Promise<void>) {
    this.#server = server;
    this.#write = write;
  }

  /** @throws AppError `limit` when too much waits; `system` when the server does not read any more */
  add(text: string): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const excess = this.#excessWith(text);
    if (excess !== undefined) {
      const message = `The server ${this.#server} does not read: ${excess} wait for it already. Restart it.`;
      return Promise.reject(new AppError("limit", message));
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ text, resolve, reject });
    this.#waitingChars += text.length;
    void this.#writeAll();
    return promise;
  }

  /** Whatever waits, and whatever comes, fails with this; what is being written when the pipe says so. */
  fail(reason: string): void {
    this.#failure ??= new AppError(
      "system",
      `The server ${this.#server} does not read: ${reason}.`,
    );
    this.#settle(this.#waiting.splice(0));
  }

  #excessWith(text: string): string | undefined {
    if (this.#waitingChars + text.length > upstreamInputWaitingBytesMax)
      return `${Math.round(this.#waitingChars / 1024 / 1024)} MiB`;
    const count = this.#waiting.length;
    return count >= upstreamInputsWaitingMax ? `${count} messages` : undefined;
  }

  async #writeAll(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const bundle = this.#takeBundle();
      try {
        await this.#write(bundle.map(({ text }) => text).join(""));
        this.#settle(bundle, true);
      } catch (error) {
        this.fail(messageOf(error));
        this.#settle(bundle);
      }
    }
    this.#isWriting = false;
  }

  #takeBundle(): Waiting[] {
    let chars = 0;
    const end = this.#waiting.findIndex(({ text }, at) => {
      chars += text.length;
      return at > 0 && chars > upstreamInputAtOnceChars;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  #settle(bundle: readonly Waiting[], isWritten = false): void {
    for (const { text, resolve, reject } of bundle) {
      this.#waitingChars -= text.length;
      if (isWritten || this.#failure === undefined) resolve();
      else reject(this.#failure);
    }
  }
}
