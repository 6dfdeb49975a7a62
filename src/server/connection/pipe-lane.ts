import type { ReplyLane } from "./lane.ts";
import type { Outbox } from "./outbox.ts";

/** The lane of everything that comes by a pipe: replies and the rest go out the same way, in order. */
export class PipeLane implements ReplyLane {
  readonly #outbox: Outbox;

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  get isCongested(): boolean {
    return this.#outbox.isCongested;
  }

  send(text: string): void {
    this.#outbox.send(text);
  }

  reply(text: string | undefined): void {
    if (text !== undefined) this.#outbox.send(text);
  }
}
