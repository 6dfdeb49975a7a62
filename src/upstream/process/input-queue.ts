import { AppError, messageOf } from "../../base/errors.ts";
import { upstreamInputWaitingBytesMax } from "../../base/limits.ts";

/** Writes to a server in order, one message after the other. A server that does not read holds up its own writers only. */
export class InputQueue {
  readonly #server: string;
  readonly #write: (text: string) => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #waitingChars = 0;
  #failure: AppError | undefined;

  constructor(server: string, write: (text: string) => Promise<void>) {
    this.#server = server;
    this.#write = write;
  }

  /** @throws AppError `limit` when too much waits; `system` when the server does not read any more */
  async add(text: string): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#waitingChars + text.length > upstreamInputWaitingBytesMax) {
      const mib = Math.round(this.#waitingChars / 1024 / 1024);
      const message = `The server ${this.#server} does not read: ${mib} MiB wait for it already. Restart it.`;
      throw new AppError("limit", message);
    }
    this.#waitingChars += text.length;
    const written = this.#last.then(() => this.#writeNow(text));
    this.#last = written.catch(() => {});
    try {
      await written;
    } finally {
      this.#waitingChars -= text.length;
    }
  }

  /** Whatever waits, and whatever comes, fails with this. */
  fail(reason: string): void {
    this.#failure ??= new AppError(
      "system",
      `The server ${this.#server} does not read: ${reason}.`,
    );
  }

  async #writeNow(text: string): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      await this.#write(text);
    } catch (error) {
      this.fail(messageOf(error));
      throw this.#failure;
    }
  }
}
