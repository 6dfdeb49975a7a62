import { resumableEventsMax } from "../../base/limits.ts";
import {
  type EventLog,
  type EventMemory,
  EventStore,
  type Replay,
} from "../../server/transport/http/event-store.ts";
import type { SharedEngine } from "../engine/shared-engine.ts";
import type { Replica } from "../replicas/replica.ts";
import type { AppendOptions, SessionRecords } from "./session-records.ts";
import type { SharedEvent } from "./session-seal.ts";

export interface SharedEventLogParts {
  readonly sessionId: string;
  readonly engine: SharedEngine;
  readonly replica: Replica;
  readonly records: SessionRecords;
  /** The last change that was delivered. */
  readonly position: () => string;
  /** Bounds the copies in this process. */
  readonly memory: EventMemory;
  /** Called when events wait for the engine. */
  readonly onUnsaved: (log: SharedEventLog) => void;
}

interface Unsaved {
  readonly event: SharedEvent;
  readonly options: AppendOptions;
}

/** The place of an event: whose stream it is on, and where. */
export interface EventPlace {
  readonly replica: string;
  readonly stream: number;
  readonly number: number;
}

/** Reads the id of an event; undefined for one that no replica gives. */
export function readEventId(id: string): EventPlace | undefined {
  const match = /^([a-z2-7]{10})\.(\d{1,10})-(\d{1,15})$/.exec(id);
  if (match === null) return undefined;
  const [, replica = "", stream, number] = match;
  return { replica, stream: Number(stream), number: Number(number) };
}

/**
 * The events of the streams that one replica has for a session. Each is in the engine before it goes out, so that the client may
 * come back to any replica. While the engine is away events go out from the copy that is kept here, and follow into
 * the engine when it is back, in their order.
 */
export class SharedEventLog implements EventLog {
  readonly #parts: SharedEventLogParts;
  readonly #copy: EventStore;
  /** The names of the streams: they keep the id that the replica had when they began. */
  readonly #names = new Map<number, string>();
  /** The last event that a reader of the stream has got from the copy. */
  readonly #replayed = new Map<number, number>();
  readonly #unsaved: Unsaved[] = [];
  #last: Promise<void> = Promise.resolve();
  #isLeft = false;

  constructor(parts: SharedEventLogParts) {
    this.#parts = parts;
    this.#copy = new EventStore(parts.memory);
  }

  append(
    stream: number,
    data: string,
    out: (id: string) => void,
    isLast = false,
    ids?: string,
  ): void {
    // The process goes: the end of the stream is not that of its request.
    if (this.#isLeft) return;
    const number = Number(this.#copy.add(stream, data).split("-")[1]);
    const isFirst = !this.#names.has(stream);
    const name = this.#nameOf(stream);
    // A stream that another replica has ended, since this one seemed to be gone, stays as it is.
    const onlyIfOpen = ids !== undefined && !isFirst;
    const position = stream === 0 ? this.#parts.position() : undefined;
    const kept = this.#keep({
      event: { stream: name, number, data, isLast },
      options: { ids, position, onlyIfOpen },
    });
    this.#last = this.#last
      .then(() => kept)
      .then(() => {
        const isReplayed = number <= (this.#replayed.get(stream) ?? 0);
        if (!isReplayed) out(`${name}-${number}`);
      });
  }

  after(lastEventId: string): Replay | undefined {
    const place = readEventId(lastEventId);
    if (place === undefined) return undefined;
    const { stream, number, replica } = place;
    const name = this.#names.get(stream);
    if (name !== `${replica}.${stream}`) return undefined;
    const replay = this.#copy.after(`${stream}-${number}`);
    const last = replay?.events.at(-1)?.id.split("-")[1];
    if (last !== undefined) this.#replayed.set(stream, Number(last));
    return (
      replay && {
        stream,
        events: replay.events.map(({ id, data }) => ({
          id: name + id.slice(id.indexOf("-")),
          data,
        })),
      }
    );
  }

  clear(): void {
    this.#copy.clear();
    this.#unsaved.length = 0;
  }

  /** Resolves when all events so far have gone out. */
  settled(): Promise<void> {
    return this.#last;
  }

  /** From now on nothing is kept: others go on with what there is. */
  leave(): void {
    this.#isLeft = true;
  }

  /** Brings events that wait for the engine there. @returns whether none is left */
  async flush(): Promise<boolean> {
    for (let first = this.#unsaved[0]; first !== undefined; first = this.#unsaved[0]) {
      if (!(await this.#write(first))) return false;
      // Others may have been dropped meanwhile.
      if (this.#unsaved[0] === first) this.#unsaved.shift();
    }
    return true;
  }

  /** Never rejects. */
  async #keep(unsaved: Unsaved): Promise<void> {
    const isQueued = this.#unsaved.length > 0 || !this.#parts.engine.isWell;
    if (!isQueued && (await this.#write(unsaved))) return;
    this.#unsaved.push(unsaved);
    if (this.#unsaved.length > resumableEventsMax) this.#unsaved.shift();
    this.#parts.onUnsaved(this);
  }

  /** False: it has to be tried again. Written twice, an event is read once: it has its number. */
  async #write({ event, options }: Unsaved): Promise<boolean> {
    const { records, sessionId } = this.#parts;
    try {
      await records.append(sessionId, event, options);
      return true;
    } catch {
      return false;
    }
  }

  #nameOf(stream: number): string {
    const known = this.#names.get(stream);
    if (known !== undefined) return known;
    const name = `${this.#parts.replica.id}.${stream}`;
    this.#names.set(stream, name);
    return name;
  }
}
