import { messageOf } from "../../base/errors.ts";
import type { ReplyRecord } from "../../base/reply-record.ts";
import type { KeptTask } from "./kept-task.ts";
import type { KeptProcess } from "./machine.ts";

interface ReadPlacesParts {
  /** Names this process among the readers of a task. */
  readonly clientKey: string;
  readonly self: KeptProcess;
  readonly warn: (message: string) => void;
}

/** How far this process has given its client the output of kept tasks, and how that is written down for the next one. */
export class ReadPlaces {
  readonly #parts: ReadPlacesParts;
  /** By the folder of the task; replies on their way out are counted. */
  readonly #places = new Map<string, number>();

  constructor(parts: ReadPlacesParts) {
    this.#parts = parts;
  }

  /** Undefined for a task of which this process has given nothing. */
  of({ folder }: KeptTask): number | undefined {
    return this.#places.get(folder);
  }

  /** The record of a reply with the output up to `to`. */
  recordOf(task: KeptTask, to: number): ReplyRecord {
    const { clientKey, self } = this.#parts;
    const before = this.of(task);
    this.#places.set(task.folder, Math.max(to, before ?? 0));
    const move = this.#attempt(task, () => task.prepareCursor(clientKey, to, self));
    return {
      writeTo: (pipe, text) => this.#attempt(task, () => move?.write(pipe, text)),
      given: () => this.#attempt(task, () => move?.make()),
      taken: () => this.#attempt(task, () => move?.confirm()),
      withdrawn: () => this.#attempt(task, () => move?.takeBack()),
      dropped: () => {
        this.#attempt(task, () => move?.drop());
        if (this.of(task) !== to) return;
        if (before === undefined) this.#places.delete(task.folder);
        else this.#places.set(task.folder, before);
      },
    };
  }

  #attempt<Value>({ id }: KeptTask, act: () => Value): Value | undefined {
    try {
      return act();
    } catch (error) {
      this.#parts.warn(`The place in the output of task ${id} is lost: ${messageOf(error)}`);
      return undefined;
    }
  }
}
