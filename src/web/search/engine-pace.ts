import { createDeferred } from "../../base/deferred.ts";
import type { EngineId } from "./engine.ts";
import { engineGapMs, slowEngineGapMs } from "./search-limits.ts";

/** What is said of an engine that was asked too recently. */
export const ownPace = "own pace";

/** The right to ask an engine, until it is given back. */
export interface Turn extends Disposable {
  /** A request goes out: the next turn begins so much later. */
  noteRequest(): void;
}

interface Lane {
  /** Settles when the last of those who queue has had its turn. */
  last: Promise<void>;
  /** When the next request may go out, on the clock of `performance.now()`. */
  nextAt: number;
}

/** One question at a time for each engine, with a pause between requests of two of them. */
export class EnginePace {
  readonly #lanes = new Map<EngineId, Lane>();

  /**
   * Waits for a turn. Undefined when `signal` says so first, or when it would come after `untilAt`
   * (on the clock of `performance.now()`).
   */
  async take(engine: EngineId, untilAt: number, signal: AbortSignal): Promise<Turn | undefined> {
    const lane = this.#laneOf(engine);
    const before = lane.last;
    const own = createDeferred<void>();
    lane.last = before.then(() => own.promise);
    const isFirst = await settledBy(before, untilAt, signal);
    const pauseMs = lane.nextAt - performance.now();
    const isInTime = isFirst && !signal.aborted && lane.nextAt < untilAt;
    if (!isInTime || (pauseMs > 0 && !(await slept(pauseMs, signal)))) {
      own.resolve();
      return undefined;
    }
    const noteRequest = (): void => {
      lane.nextAt = performance.now() + gapOf(engine);
    };
    return { noteRequest, [Symbol.dispose]: () => own.resolve() };
  }

  #laneOf(engine: EngineId): Lane {
    const known = this.#lanes.get(engine);
    if (known !== undefined) return known;
    const lane = { last: Promise.resolve(), nextAt: 0 };
    this.#lanes.set(engine, lane);
    return lane;
  }
}

function gapOf(engine: EngineId): number {
  return engine === "duckduckgo" ? slowEngineGapMs : engineGapMs;
}

/** False when `signal` or the time came first. */
async function settledBy(
  promise: Promise<void>,
  untilAt: number,
  signal: AbortSignal,
): Promise<boolean> {
  const given = new AbortController();
  const late = slept(untilAt - performance.now(), AbortSignal.any([signal, given.signal]));
  const isFirst = await Promise.race([promise.then(() => true), late.then(() => false)]);
  given.abort();
  return isFirst;
}

/** False when `signal` came first. */
function slept(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  const { promise, resolve } = createDeferred<boolean>();
  const onAbort = (): void => {
    clearTimeout(timer);
    resolve(false);
  };
  const timer = setTimeout(
    () => {
      signal.removeEventListener("abort", onAbort);
      resolve(true);
    },
    Math.max(0, ms),
  );
  signal.addEventListener("abort", onAbort, { once: true });
  return promise;
}
