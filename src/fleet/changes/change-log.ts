import { changeMatchMs, changesKeptMax } from "../../base/limits.ts";
import { isObject, jsonOrNothing } from "../../base/values.ts";
import type { Change, Changes } from "../../calls/features.ts";
import type { SharedEngine } from "../engine/shared-engine.ts";
import { entriesOf, type StreamTail, type TailEntry } from "../engine/stream-tail.ts";
import type { Replica } from "../replicas/replica.ts";

export interface ChangeLogParts {
  readonly engine: SharedEngine;
  readonly replica: Replica;
  readonly tail: StreamTail;
  readonly changes: Changes;
}

interface Told {
  readonly id: string;
  readonly change: Change;
}

/** Before every id that the engine gives. */
const before = "0-0";

/**
 * The changes of all replicas, in one order, each once: what one reports every one tells its own subscribers. A capped log in
 * the engine and not a channel, so that nothing is missed while a connection is made again, and a session that comes to
 * another replica hears what it has not heard.
 */
export class ChangeLog implements Disposable {
  readonly #parts: ChangeLogParts;
  readonly #key: string;
  readonly #matcher = new ChangeMatcher();
  /** The newest changes, oldest first. */
  readonly #told: Told[] = [];
  readonly #stop: () => void;
  /** Changes up to here have left the log, or came before this replica. */
  #floor: string;
  #position: string;

  private constructor(parts: ChangeLogParts, entries: readonly TailEntry[]) {
    this.#parts = parts;
    this.#key = parts.engine.keys.of("changes");
    for (const entry of entries) this.#take(entry);
    this.#position = entries.at(-1)?.id ?? before;
    this.#floor = entries.length < changesKeptMax ? before : (entries[0]?.id ?? before);
    parts.tail.follow(this.#key, this.#position, (entry) => this.#receive(entry));
    parts.changes.route = (change) => this.#report(change);
    this.#stop = parts.replica.onNewPlace(() => void this.#restart());
  }

  /** @throws SharedEngineError */
  static async start(parts: ChangeLogParts): Promise<ChangeLog> {
    const { engine } = parts;
    const count = String(changesKeptMax);
    const reply = await engine.request(
      "XREVRANGE",
      engine.keys.of("changes"),
      "+",
      "-",
      "COUNT",
      count,
    );
    return new ChangeLog(parts, entriesOf(reply).toReversed());
  }

  /** The last change that was delivered here. */
  get position(): string {
    return this.#position;
  }

  /** The changes after `position`; undefined when some of them are not known any more. */
  since(position: string): readonly Change[] | undefined {
    if (isAfter(this.#floor, position)) return undefined;
    return this.#told.filter(({ id }) => isAfter(id, position)).map(({ change }) => change);
  }

  [Symbol.dispose](): void {
    this.#stop();
    this.#parts.changes.route = undefined;
    this.#parts.tail.forget(this.#key);
  }

  /** Without the engine, subscribers here are notified all the same. */
  #report(change: Change): boolean {
    const { engine, replica, changes } = this.#parts;
    if (!engine.isWell) return false;
    const entry = ["*", "r", replica.id, "c", JSON.stringify(change)];
    engine
      .request("XADD", this.#key, "MAXLEN", "~", String(changesKeptMax), ...entry)
      .catch(() => changes.deliver(change));
    return true;
  }

  #receive(entry: TailEntry): void {
    const change = this.#take(entry);
    this.#position = entry.id;
    if (change !== undefined) this.#parts.changes.deliver(change);
  }

  /** Undefined for what another replica has reported too. */
  #take({ id, fields }: TailEntry): Change | undefined {
    const change = readChange(fields.get("c"));
    if (change === undefined) return undefined;
    if (change.isSeenByAll === true) {
      const key = JSON.stringify(change);
      const atMs = Number(id.split("-", 1)[0]);
      if (!this.#matcher.isNew(key, fields.get("r") ?? "", atMs)) return undefined;
    }
    this.#told.push({ id, change });
    if (this.#told.length > changesKeptMax) this.#floor = this.#told.shift()?.id ?? this.#floor;
    return change;
  }

  /** An engine that has lost the log begins another, with an earlier clock perhaps. */
  async #restart(): Promise<void> {
    const { engine, tail } = this.#parts;
    try {
      const reply = await engine.request("XREVRANGE", this.#key, "+", "-", "COUNT", "1");
      const [last] = entriesOf(reply);
      if (last !== undefined && isAfter(last.id, this.#position)) return;
      if (last?.id === this.#position) return;
      tail.restart(this.#key);
    } catch {
      // It is away again: the next return looks again.
    }
  }
}

/** Whether an id of the log is later than another. */
function isAfter(id: string, other: string): boolean {
  const [ms = 0, sequence = 0] = id.split("-").map(Number);
  const [otherMs = 0, otherSequence = 0] = other.split("-").map(Number);
  return ms > otherMs || (ms === otherMs && sequence > otherSequence);
}

/** Undefined for text that no replica of this version writes. */
function readChange(text: string | undefined): Change | undefined {
  const value = jsonOrNothing(text ?? "");
  if (!isObject(value)) return undefined;
  const { kind, uri, clientId, isSeenByAll } = value;
  if (clientId !== undefined && typeof clientId !== "string") return undefined;
  const traits = {
    ...(clientId === undefined ? {} : { clientId }),
    ...(isSeenByAll === true ? ({ isSeenByAll } as const) : {}),
  };
  if (kind === "resource") return typeof uri === "string" ? { kind, uri, ...traits } : undefined;
  return kind === "tools" || kind === "prompts" || kind === "resources"
    ? { kind, ...traits }
    : undefined;
}

interface Observation {
  /** How often each replica has reported it. */
  readonly counts: Map<string, number>;
  /** The most that one of them has. */
  told: number;
  lastAt: number;
}

/**
 * Tells one change from the next where several replicas see the same: a file on a shared volume, or an MCP server that each of
 * them is connected to. The n-th report of one replica within a moment is the n-th of another. All replicas read the same
 * log, and so decide alike.
 */
class ChangeMatcher {
  readonly #seen = new Map<string, Observation>();

  /**
   * False for a change that another replica has reported already.
   * @param key changes with the same key say the same
   * @param atMs in the time of the engine
   */
  isNew(key: string, replica: string, atMs: number): boolean {
    this.#forgetBefore(atMs - changeMatchMs);
    const known = this.#seen.get(key) ?? {
      counts: new Map<string, number>(),
      told: 0,
      lastAt: atMs,
    };
    // In the order of the last report.
    this.#seen.delete(key);
    this.#seen.set(key, known);
    known.lastAt = atMs;
    const count = (known.counts.get(replica) ?? 0) + 1;
    known.counts.set(replica, count);
    if (count <= known.told) return false;
    known.told = count;
    return true;
  }

  #forgetBefore(atMs: number): void {
    for (const [key, { lastAt }] of this.#seen) {
      if (lastAt >= atMs) return;
      this.#seen.delete(key);
    }
  }
}
