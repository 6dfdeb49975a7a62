import type { EngineId, EngineMemory } from "./engine.ts";

/** The detail of an engine that was asked too recently. */
export const ownPace = "own pace";

/** The right to ask an engine, until it is given back. */
export interface EngineTurn extends Disposable {
  /** A request goes out: the next turn begins so much later. */
  noteRequest(): void;
}

interface Waiting {
  /** The signal of the waiting search, which identifies it. */
  readonly search: AbortSignal;
  /** On the clock of `performance.now()`, as all times here. */
  readonly untilAt: number;
  /** Ends the waiting; undefined = without a turn. */
  readonly end: (turn: EngineTurn | undefined) => void;
}

interface Lane {
  readonly engine: EngineId;
  /** In the order of their coming. */
  waiting: readonly Waiting[];
  isTaken: boolean;
  /** When the next request may go out. */
  nextAt: number;
  /** Runs as long as somebody waits for the end of a pause. */
  pause: ReturnType<typeof setTimeout> | undefined;
}

/**
 * One question at a time for each engine, with a pause between requests of two of them. Of several searches that wait,
 * the one that has had the fewest turns goes first: each of many finds something, instead of a few everything.
 */
export class EnginePace {
  readonly #lanes = new Map<EngineId, Lane>();
  /** Turns of each search, at all engines. */
  readonly #turns = new WeakMap<AbortSignal, number>();

  /** Waits for a turn. Undefined when the signal of the search says so first, or when it would come after `untilAt`. */
  async take(
    engine: EngineId,
    untilAt: number,
    search: AbortSignal,
  ): Promise<EngineTurn | undefined> {
    if (search.aborted) return undefined;
    const lane = this.#laneOf(engine);
    const given = Promise.withResolvers<EngineTurn | undefined>();
    const waiting = { search, untilAt, end: given.resolve };
    const leave = (): void => this.#leave(lane, waiting);
    const timer = setTimeout(leave, Math.max(0, untilAt - performance.now()));
    search.addEventListener("abort", leave, { once: true });
    lane.waiting = [...lane.waiting, waiting];
    this.#serve(lane);
    try {
      return await given.promise;
    } finally {
      clearTimeout(timer);
      search.removeEventListener("abort", leave);
    }
  }

  #laneOf(engine: EngineId): Lane {
    const known = this.#lanes.get(engine);
    if (known !== undefined) return known;
    const lane = { engine, waiting: [], isTaken: false, nextAt: 0, pause: undefined };
    this.#lanes.set(engine, lane);
    return lane;
  }

  /** Gives the turn to the next one, as soon as there is one to give. */
  #serve(lane: Lane): void {
    clearTimeout(lane.pause);
    if (lane.isTaken) return;
    for (const waiting of lane.waiting) {
      if (waiting.untilAt <= lane.nextAt) this.#leave(lane, waiting);
    }
    const pauseMs = lane.nextAt - performance.now();
    if (lane.waiting.length === 0) return;
    if (pauseMs > 0) lane.pause = setTimeout(() => this.#serve(lane), Math.ceil(pauseMs));
    else this.#give(lane);
  }

  #give(lane: Lane): void {
    const next = lane.waiting.reduce((first, other) =>
      this.#turnsOf(other) < this.#turnsOf(first) ? other : first,
    );
    lane.waiting = lane.waiting.filter((waiting) => waiting !== next);
    lane.isTaken = true;
    this.#turns.set(next.search, this.#turnsOf(next) + 1);
    next.end({
      noteRequest: () => {
        lane.nextAt = performance.now() + gapOf(lane.engine);
      },
      [Symbol.dispose]: () => {
        lane.isTaken = false;
        this.#serve(lane);
      },
    });
  }

  #turnsOf({ search }: Waiting): number {
    return this.#turns.get(search) ?? 0;
  }

  #leave(lane: Lane, waiting: Waiting): void {
    lane.waiting = lane.waiting.filter((other) => other !== waiting);
    if (lane.waiting.length === 0) clearTimeout(lane.pause);
    waiting.end(undefined);
  }
}

/** Between two requests to the same engine. */
const engineGapMs = 1_000;
/** DuckDuckGo blocks clients that come sooner. */
const slowEngineGapMs = 5_000;

function gapOf(engine: EngineId): number {
  return engine === "duckduckgo" ? slowEngineGapMs : engineGapMs;
}

/** Texts that one engine keeps; none has more than a few. */
const textsMax = 16;
/** Characters of one of them: cookies have at most 4 KiB. */
const textCharsMax = 8 * 1024;

/** Memories of all engines and principals: a few texts each. */
const memoriesMax = 1_000;

/** The data that engines keep from one question to the next, as long as this process lives. */
export class EngineMemories {
  /** In the order of their last use. */
  readonly #memories = new Map<string, EngineMemory>();

  /** @param owner the principal: what an engine knows of one by its cookies it must not use for another */
  of(engine: EngineId, owner = ""): EngineMemory {
    const key = `${engine}\n${owner}`;
    const memory = this.#memories.get(key) ?? new ExpiringTexts();
    this.#memories.delete(key);
    this.#memories.set(key, memory);
    const [oldest] = this.#memories.keys();
    if (this.#memories.size > memoriesMax && oldest !== undefined) this.#memories.delete(oldest);
    return memory;
  }
}

class ExpiringTexts implements EngineMemory {
  /** `endsAt` on the clock of `performance.now()`. */
  readonly #texts = new Map<string, { readonly value: string; readonly endsAt: number }>();

  get(name: string): string | undefined {
    const text = this.#texts.get(name);
    if (text === undefined) return undefined;
    if (text.endsAt > performance.now()) return text.value;
    this.#texts.delete(name);
    return undefined;
  }

  set(name: string, value: string, lifeMs: number): void {
    if (value.length > textCharsMax) return;
    this.#texts.delete(name);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size >= textsMax && oldest !== undefined) this.#texts.delete(oldest);
    this.#texts.set(name, { value, endsAt: performance.now() + lifeMs });
  }

  delete(name: string): void {
    this.#texts.delete(name);
  }
}
