import type { ReplyRecord } from "../../../src/base/reply-record.ts";
import { MessageParser } from "../../../src/server/transport/message-parser.ts";
import type { EventsReceiver, Transport } from "../../../src/server/transport/transport.ts";

/** Both ends of a connection in one process: tests write text and read the messages sent. */
export class MemoryTransport implements Transport {
  /** Everything sent so far, one JSON text each. */
  readonly sent: string[] = [];
  isCongested = false;
  readonly #parser = new MessageParser();
  readonly #ended = Promise.withResolvers<void>();
  #receive: EventsReceiver | undefined;
  #watchers: (() => void)[] = [];

  run(receive: EventsReceiver): Promise<void> {
    this.#receive = receive;
    return this.#ended.promise;
  }

  send(text: string, record?: ReplyRecord): void {
    record?.taken();
    this.sent.push(text);
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const watch of watchers) watch();
  }

  flushed(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    this.#ended.resolve();
  }

  /** Delivers raw input, as one chunk. */
  deliverText(text: string): void {
    const events = this.#parser.push(new TextEncoder().encode(text));
    if (events.length > 0) this.#receive?.(events);
  }

  /** Delivers messages, one line each, in one chunk. */
  deliver(...messages: readonly unknown[]): void {
    this.deliverText(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }

  /** Resolves when at least `count` messages have been sent. */
  async sentAtLeast(count: number): Promise<void> {
    while (this.sent.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers.push(resolve);
      await promise;
    }
  }
}
