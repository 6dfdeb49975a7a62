import { resumableCharsMax, resumableEventsMax } from "../../../base/limits.ts";
import { EventMemory } from "./event-memory.ts";

/** One event of a stream as it was sent. */
export interface StoredEvent {
  readonly id: string;
  readonly data: string;
}

/** The events of one stream that its client has not seen. */
export interface Replay {
  readonly stream: number;
  readonly events: readonly StoredEvent[];
}

export interface EventStoreBounds {
  readonly eventsMax: number;
  readonly charsMax: number;
}

interface Entry extends StoredEvent {
  readonly stream: number;
  readonly number: number;
}

const defaultBounds: EventStoreBounds = {
  eventsMax: resumableEventsMax,
  charsMax: resumableCharsMax,
};

/**
 * The newest events of one legacy session, for a client that comes back after its connection broke
 * (docs/spec/legacy.md#streams). Ids are `stream-number`, where the number counts the events of the session: so they are
 * unique over its streams and tell theirs. What a stream sent stays after its end, until newer events take the room.
 */
export class EventStore {
  readonly #memory: EventMemory;
  readonly #bounds: EventStoreBounds;
  /** Oldest first. */
  readonly #entries: Entry[] = [];
  #chars = 0;
  #lastNumber = 0;

  /** @param memory shared by the stores of all sessions */
  constructor(memory: EventMemory = new EventMemory(), bounds: EventStoreBounds = defaultBounds) {
    this.#memory = memory;
    this.#bounds = bounds;
  }

  /** Keeps the event and returns its id. Empty data takes an id and no room: there is nothing to send again. */
  append(stream: number, data: string): string {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const id = `${stream}-${number}`;
    if (data === "") return id;
    this.#entries.push({ stream, number, id, data });
    this.#chars += data.length;
    this.#memory.add(this, data.length);
    while (this.#isOverfull) this.dropOldest();
    return id;
  }

  /**
   * The events after `lastEventId` on its stream that are still kept. Undefined when no
   * such event was ever sent.
   */
  after(lastEventId: string): Replay | undefined {
    const match = /^(\d{1,10})-(\d{1,15})$/.exec(lastEventId);
    if (match === null) return undefined;
    const [stream, number] = [Number(match[1]), Number(match[2])];
    if (number === 0 || number > this.#lastNumber) return undefined;
    const isForeign = ({ number: other, stream: owner }: Entry): boolean =>
      other === number && owner !== stream;
    if (this.#entries.some(isForeign)) return undefined;
    const events = this.#entries
      .filter((entry) => entry.stream === stream && entry.number > number)
      .map(({ id, data }) => ({ id, data }));
    return { stream, events };
  }

  /** Makes room for newer events. */
  dropOldest(): void {
    const oldest = this.#entries.shift();
    if (oldest === undefined) return;
    this.#chars -= oldest.data.length;
    this.#memory.remove(this, oldest.data.length, this.#entries.length === 0);
  }

  /** Forgets everything: the session has ended. */
  clear(): void {
    while (this.#entries.length > 0) this.dropOldest();
  }

  /** The newest event is kept whatever its length: it may be the result that the client waits for. */
  get #isOverfull(): boolean {
    const { eventsMax, charsMax } = this.#bounds;
    const { length } = this.#entries;
    return length > eventsMax || (length > 1 && this.#chars > charsMax);
  }
}
