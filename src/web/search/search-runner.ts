import type { NetworkGuard } from "../guard/network-guard.ts";
import {
  searchDeadlines,
  type SearchDeadlines,
  type Ask,
  askAll,
  type AskingParts,
  type Settled,
  ReadingQueue,
} from "./ask-all.ts";
import { askEngine } from "./ask-engine.ts";
import { type EngineChoice, chooseEngines, type EngineRoster } from "./choose-engines.ts";
import type { EngineList } from "./engine-list.ts";
import { EngineMemories, EnginePace } from "./engine-pace.ts";
import type { EngineSettings } from "./engine.ts";
import { type JudgedEngine, judgeSettled } from "./judge-settled.ts";
import type { Query } from "./query.ts";
import { rankPages } from "./rank-pages.ts";
import { type EngineReport, isAnswer, type SearchReply, suspensionDetail } from "./search-reply.ts";
import type { SuspensionBook } from "./suspension-book.ts";

export interface SearchRunnerParts {
  readonly guard: NetworkGuard;
  readonly settings: EngineSettings;
  /** Base URLs of engines, by engine id. */
  readonly baseUrls: Readonly<Record<string, string>>;
  readonly book: SuspensionBook;
  /** The wall clock, in ms. */
  readonly now: () => number;
  readonly deadlines?: SearchDeadlines;
}

/** One search. */
export interface SearchTask {
  readonly query: Query;
  /** Whose cookies of the engines it has. */
  readonly cacheOwner?: string;
  readonly roster: EngineRoster;
  /** Waits for slow engines too, when there are enough results, to learn the outcome of each. */
  readonly waitsForAll: boolean;
}

/** Makes one search after another, and knows what engines want from one to the next: their pace, their cookies. */
export class SearchRunner {
  readonly #parts: SearchRunnerParts;
  readonly #pace = new EnginePace();
  readonly #memories = new EngineMemories();
  readonly #reading = new ReadingQueue();

  constructor(parts: SearchRunnerParts) {
    this.#parts = parts;
  }

  /**
   * Chooses, asks, judges, merges.
   * @throws AppError `cancelled` when `signal` says so
   */
  async run(task: SearchTask, signal: AbortSignal): Promise<SearchReply> {
    const { query, roster } = task;
    const startedAt = performance.now();
    const now = new Date(this.#parts.now());
    const choices = chooseEngines(roster, this.#parts.book);
    const asks = choices.filter((choice) => choice.kind === "ask");
    const judged = await this.#ask(asks, task, now, signal);
    const lists = [...judged.values()].flatMap(({ list }) => list ?? []);
    const engines = choices.map((choice) => reportOf(choice, judged));
    return {
      query: query.text,
      ...rankPages(lists, query),
      engines,
      elapsedMs: Math.round(performance.now() - startedAt),
      cached: false,
      partial: !engines.every(isAnswer),
    };
  }

  /** The outcome of each question, by engine; recorded for all processes. */
  async #ask(
    asks: readonly Ask[],
    { query, cacheOwner = "", waitsForAll }: SearchTask,
    now: Date,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, JudgedEngine>> {
    const { book } = this.#parts;
    const judged = new Map<Ask, JudgedEngine>();
    const note = (ask: Ask, { verdict }: JudgedEngine): void =>
      book.record(ask.engine.id, verdict, ask.isProbe);
    const onSettled = (settled: Settled): boolean => {
      const result = judgeSettled(settled, query, now);
      judged.set(settled.ask, result);
      if (result.suspect === undefined) note(settled.ask, result);
      return !waitsForAll && isEnough([...judged.values()]);
    };
    const cleared = new Map<string, JudgedEngine>();
    try {
      const { deadlines = searchDeadlines } = this.#parts;
      const askOne = this.#asker(query, cacheOwner);
      await askAll(asks, { deadlines, pace: this.#pace, askOne, onSettled }, signal);
    } finally {
      // Whether a suspicion holds is known when all have spoken.
      const results = clearSuspects([...judged.values()]);
      for (const [index, [ask, before]] of [...judged].entries()) {
        const after = results[index] ?? before;
        if (before.suspect !== undefined) note(ask, after);
        cleared.set(ask.engine.id, after);
      }
    }
    return cleared;
  }

  #asker(query: Query, cacheOwner: string): AskingParts["askOne"] {
    const { guard, settings, baseUrls } = this.#parts;
    return async ({ engine }, limits) => {
      const base = baseUrls[engine.id];
      const address = engine.id === "searxng" ? settings.searxngUrl : base;
      const allowHosts = address === undefined ? [] : [new URL(address).host];
      const memory = this.#memories.of(engine.id, cacheOwner);
      const engineQuery = { text: query.text, settings, memory };
      const reading = this.#reading;
      return askEngine(engine, engineQuery, { guard, base, allowHosts, limits, reading });
    };
  }
}

/** So many engines settled and so many pages found are enough. */
const earlySettledMin = 7;
const earlyPagesMin = 10;

function isEnough(judged: readonly JudgedEngine[]): boolean {
  if (judged.length < earlySettledMin) return false;
  const keys = new Set(judged.flatMap(({ list }) => list?.pages.map(({ key }) => key) ?? []));
  return keys.size >= earlyPagesMin;
}

function reportOf(choice: EngineChoice, judged: ReadonlyMap<string, JudgedEngine>): EngineReport {
  const name = choice.engine.id;
  if (choice.kind === "suspended") {
    const detail = suspensionDetail(choice.leftMs, choice.reason);
    return { name, status: "suspended", count: 0, ms: 0, detail };
  }
  return judged.get(name)?.report ?? { name, status: "timeout", count: 0, ms: 0 };
}

/**
 * Takes back the suspicion of poisoning where an engine with another index gave one of the same pages: then the words
 * are at fault, which both have corrected or translated, and not the engines. Without this one misspelt word would have
 * all of them dropped and suspended. The result does not depend on the order.
 */
function clearSuspects(judged: readonly JudgedEngine[]): JudgedEngine[] {
  const lists = judged.flatMap(({ list, suspect }) => list ?? suspect ?? []);
  return judged.map((engine) => {
    const { report, suspect } = engine;
    if (suspect === undefined || !isConfirmed(suspect, lists)) return engine;
    const { detail: _, ...rest } = report;
    return {
      report: { ...rest, status: "ok", count: suspect.pages.length },
      verdict: { kind: "healthy" },
      list: suspect,
      suspect: undefined,
    };
  });
}

function isConfirmed(suspect: EngineList, lists: readonly EngineList[]): boolean {
  const keys = new Set(suspect.pages.map(({ key }) => key));
  return lists.some(
    ({ provider, pages }) =>
      provider !== suspect.provider && pages.some(({ key }) => keys.has(key)),
  );
}
