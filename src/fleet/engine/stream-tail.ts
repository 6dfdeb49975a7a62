import { sharedBlockMs, sharedReplyMsMax, sharedTailEntriesMax } from "../../base/limits.ts";
import { messageOf } from "../../base/errors.ts";
import type { EngineConnection } from "./engine-connection.ts";
import type { Reply, SharedEngine } from "./shared-engine.ts";

/** One entry of a stream of the engine. */
export interface TailEntry {
  readonly id: string;
  readonly fields: ReadonlyMap<string, string>;
}

interface Tailed {
  readonly onEntry: (entry: TailEntry) => void;
  /** The last entry that was read. */
  position: string;
}

/** Reads new entries of some streams as they come, over a connection of its own. Each entry is given once. */
export class StreamTail implements Disposable {
  readonly #connection: EngineConnection;
  readonly #streams = new Map<string, Tailed>();
  readonly #onFault: (message: string) => void;
  #isReading = false;

  /** @param onFault a listener that threw */
  constructor(engine: SharedEngine, onFault: (message: string) => void) {
    this.#onFault = onFault;
    this.#connection = engine.connect({ onReady: (client) => void this.#read(client) });
  }

  /** @param position reads what comes after it; "0" for all. Replaces what was read of this stream before. */
  follow(key: string, position: string, onEntry: (entry: TailEntry) => void): void {
    this.#streams.set(key, { onEntry, position });
    const { client } = this.#connection;
    if (!this.#isReading && client !== undefined) void this.#read(client);
  }

  forget(key: string): void {
    this.#streams.delete(key);
  }

  /** The last entry of a followed stream that was read. */
  positionOf(key: string): string | undefined {
    return this.#streams.get(key)?.position;
  }

  /** The engine had lost the stream and has made another: all of it is new. */
  restart(key: string): void {
    const stream = this.#streams.get(key);
    if (stream !== undefined) stream.position = "0";
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  async #read(client: Bun.RedisClient): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#connection.client === client && this.#streams.size > 0) {
        this.#take(await this.#next(client));
      }
    } catch (error) {
      if (this.#connection.client === client) this.#connection.drop(messageOf(error));
    } finally {
      this.#isReading = false;
    }
    const { client: next } = this.#connection;
    // It was connected again while the last read ended.
    if (next !== undefined && next !== client && this.#streams.size > 0) void this.#read(next);
  }

  async #next(client: Bun.RedisClient): Promise<Reply> {
    const keys = [...this.#streams.keys()];
    const positions = [...this.#streams.values()].map(({ position }) => position);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error("it does not answer")),
      sharedBlockMs + sharedReplyMsMax,
    );
    const count = String(sharedTailEntriesMax);
    const args = ["BLOCK", String(sharedBlockMs), "COUNT", count, "STREAMS", ...keys, ...positions];
    try {
      const reply: Reply = await Promise.race([client.send("XREAD", args), late.promise]);
      return reply;
    } finally {
      clearTimeout(timer);
    }
  }

  #take(reply: Reply): void {
    for (const [key, entries] of streamsIn(reply)) {
      for (const entry of entriesOf(entries)) {
        const stream = this.#streams.get(key);
        if (stream === undefined) break;
        stream.position = entry.id;
        try {
          stream.onEntry(entry);
        } catch (error) {
          this.#onFault(messageOf(error));
        }
      }
    }
  }
}

/** XREAD answers with a map, or with nothing. */
function streamsIn(reply: Reply): readonly (readonly [string, Reply])[] {
  return typeof reply === "object" && reply !== null ? Object.entries(reply) : [];
}

/** The entries in a reply of XRANGE or a part of one of XREAD; what has another form is left out. */
export function entriesOf(reply: Reply): readonly TailEntry[] {
  if (!Array.isArray(reply)) return [];
  return (reply as readonly Reply[]).flatMap((entry) => {
    if (!Array.isArray(entry)) return [];
    const [id, pairs] = entry as readonly Reply[];
    if (typeof id !== "string" || !Array.isArray(pairs)) return [];
    const fields = new Map<string, string>();
    for (let index = 0; index + 1 < pairs.length; index += 2) {
      fields.set(String(pairs[index]), String(pairs[index + 1]));
    }
    return [{ id, fields }];
  });
}
