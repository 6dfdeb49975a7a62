import { startTimer, type Timer } from "../../base/cancellation.ts";
import { formatAmount, formatCount } from "../../base/cut-text.ts";
import {
  upstreamLogsPerSecondMax,
  upstreamStraysPerSecondMax,
} from "../../base/upstream-limits.ts";

/** Output that a server may write without limit: log messages, and lines that are not messages. */
export type Chatter = "logs" | "strays";

const kinds: Readonly<Record<Chatter, { readonly perSecondMax: number; readonly noun: string }>> = {
  logs: { perSecondMax: upstreamLogsPerSecondMax, noun: "log message" },
  strays: { perSecondMax: upstreamStraysPerSecondMax, noun: "stray line" },
};

const encoder = new TextEncoder();
/** Every library begins a log message like this: no long or nested value precedes its method. */
const logBeginning =
  /^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:\s*"notifications\/message"/;

/**
 * Limits the chatter of one connection that passes in a second (IS2). Lines above the limit are recognized by their
 * first bytes and never decoded: a gigabyte of them takes no memory.
 */
export class FloodGate {
  readonly #tell: (text: string) => void;
  readonly #passed: Record<Chatter, number> = { logs: 0, strays: 0 };
  readonly #leftOut: Record<Chatter, number> = { logs: 0, strays: 0 };
  /** More has come than may pass within this second: only then a line can be too much. */
  #isFlood = false;
  /** The beginning of this server's log messages, once it floods. */
  #logBytes = new Uint8Array(0);
  #timer: Timer | undefined;

  /** @param tell receives a sentence with the number of dropped lines, at most once a second */
  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  /** Whether the line between these two offsets is excess chatter, by its bytes alone. */
  isTooMuch(bytes: Uint8Array, start: number, end: number): boolean {
    if (!this.#isFlood) return false;
    const kind = this.#kindOf(bytes, start, end);
    return kind !== undefined && this.#isFull(kind) && !this.mayPass(kind);
  }

  /**
   * Whether a line that was read may pass.
   * @param line its text, from which later lines are recognized
   */
  mayPass(kind: Chatter, line = ""): boolean {
    this.#timer ??= startTimer(1_000, () => this.end());
    if (!this.#isFull(kind)) {
      this.#passed[kind] += 1;
      return true;
    }
    this.#isFlood = true;
    this.#leftOut[kind] += 1;
    const beginning = kind === "logs" ? logBeginning.exec(line) : null;
    if (beginning !== null) this.#logBytes = encoder.encode(beginning[0]);
    return false;
  }

  /** Ends a second, or the connection: reports the number of dropped lines. */
  end(): void {
    this.#timer?.stop();
    this.#timer = undefined;
    this.#isFlood = false;
    for (const kind of ["logs", "strays"] as const) {
      const count = this.#leftOut[kind];
      this.#passed[kind] = 0;
      this.#leftOut[kind] = 0;
      if (count === 0) continue;
      const { noun, perSecondMax } = kinds[kind];
      const limit = `more than ${formatCount(perSecondMax)} came within a second`;
      this.#tell(`${formatAmount(count, noun)} left out here: ${limit}.`);
    }
  }

  #isFull(kind: Chatter): boolean {
    return this.#passed[kind] >= kinds[kind].perSecondMax;
  }

  #kindOf(bytes: Uint8Array, start: number, end: number): Chatter | undefined {
    if (!mayBeMessage(bytes[start] ?? 0)) return "strays";
    const known = this.#logBytes;
    if (known.length === 0 || end - start < known.length) return undefined;
    for (let at = 0; at < known.length; at += 1) {
      if (bytes[start + at] !== known[at]) return undefined;
    }
    return "logs";
  }
}

/** Whether an object or array may begin here: at its bracket, at a blank, or at a UTF-8 byte order mark. */
function mayBeMessage(first: number): boolean {
  const isBlank = first === 0x20 || (first >= 0x09 && first <= 0x0d);
  return first === 0x7b || first === 0x5b || isBlank || first >= 0x80;
}
