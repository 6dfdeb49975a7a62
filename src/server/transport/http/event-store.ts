import {
  resumableCharsMax,
  resumableCharsTotalMax,
  resumableEventsMax,
} from "../../../base/limits.ts";

/** Something that keeps events and can forget its oldest. */
interface Forgetful {
  dropOldest(): void;
}

/**
 * The room that the events of all sessions share. When it is full, the session that has been silent for longest
 * loses its oldest events first.
 */
export class EventMemory {
  readonly #charsMax: number;
  /** Stores that hold events, the one that was silent for longest first. */
  readonly #holders = new Set<Forgetful>();
  #chars = 0;

  constructor(charsMax: number = resumableCharsTotalMax) {
    this.#charsMax = charsMax;
  }

  /** Characters of all events that are kept. */
  get chars(): number {
    return this.#chars;
  }

  /** `holder` has kept a new event of this many characters. */
  add(holder: Forgetful, chars: number): void {
    this.#holders.delete(holder);
    this.#holders.add(holder);
    this.#chars += chars;
    while (this.#chars > this.#charsMax) {
      const [silent] = this.#holders;
      if (silent === undefined) return;
      silent.dropOldest();
    }
  }

  /** `holder` has forgotten an event. */
  remove(holder: Forgetful, chars: number, isEmpty: boolean): void {
    this.#chars -= chars;
    if (isEmpty) this.#holders.delete(holder);
  }
}

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

/** Keeps the events of the streams of one session, for a client that comes back after its connection broke. */
export interface EventLog {
  /**
   * Keeps an event of a stream and calls `out` with its id once it is kept: at once in this process. Events of one stream go out in
   * the order of the calls.
   * @param isLast the stream ends with it
   * @param ids of the requests that the stream answers, as JSON; absent for the stream of the session
   */
  append(
    stream: number,
    data: string,
    out: (id: string) => void,
    isLast?: boolean,
    ids?: string,
  ): void;
  /** The events after `lastEventId` on its stream that are still kept here. Undefined when no such event was ever sent. */
  after(lastEventId: string): Replay | undefined;
  /** Resolves when all events so far have gone out; absent where they always have. */
  settled?(): Promise<void>;
  /** Forgets everything: the session has ended. */
  clear(): void;
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
 * unique over its streams and tell theirs. The events of a stream stay after its end, until newer events take the room.
 */
export class EventStore implements EventLog {
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

  append(stream: number, data: string, out: (id: string) => void): void {
    out(this.add(stream, data));
  }

  /** Keeps the event and returns its id. Empty data takes an id and no room: there is nothing to send again. */
  add(stream: number, data: string): string {
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

/** One server-sent event. */
export interface SseEvent {
  readonly id?: string;
  /** Name of the event; `message` when absent. */
  readonly event?: string;
  /** One JSON text. */
  readonly data: string;
}

/** A line that clients skip: a sign of life for proxies on the way (docs/spec/modern.md#subscriptions). */
export const keepAliveComment = ": keep-alive\n\n";

/**
 * The event as text, its empty line at the end included. Line breaks in `data`, which JSON allows between tokens,
 * become several `data` lines: the client joins them again. In the other fields they are left out.
 */
export function encodeEvent({ id, event, data }: SseEvent): string {
  const idLine = id === undefined ? "" : `id: ${oneLine(id)}\n`;
  const eventLine = event === undefined ? "" : `event: ${oneLine(event)}\n`;
  return `${idLine}${eventLine}data: ${dataLines(data)}\n\n`;
}

/**
 * The first event of a stream that can be resumed: an id, so that the client can come back even when nothing else
 * reached it, and empty data. For 2025-11-25 only: older clients try to parse it (docs/spec/legacy.md#streams).
 */
export function encodePriming(id: string): string {
  return encodeEvent({ id, data: "" });
}

/** Tells the client how soon to come back: sent before the server closes a connection (docs/spec/legacy.md#streams). */
export function encodeRetry(retryMs: number): string {
  return `retry: ${Math.round(retryMs)}\n\n`;
}

function dataLines(data: string): string {
  // Our own JSON has no line breaks, and two searches cost less than one pattern.
  if (!data.includes("\n") && !data.includes("\r")) return data;
  return data.split(/\r\n|\r|\n/).join("\ndata: ");
}

/** A NUL would make a client ignore the id. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, "");
}
