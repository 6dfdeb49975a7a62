import type { NetworkGuard } from "../guard/guard.ts";
import type { EngineReport, SearchReply, SearchRequest } from "../search-reply.ts";
import { askAll } from "./ask-all.ts";
import type { Ask, Settled } from "./ask-all.ts";
import { askEngine } from "./ask-engine.ts";
import { chooseEngines } from "./choose-engines.ts";
import type { Choice, EngineRoster } from "./choose-engines.ts";
import { clearSuspects } from "./clear-suspects.ts";
import { EngineMemories } from "./engine-memories.ts";
import type { EngineSettings } from "./engine.ts";
import { EnginePace } from "./engine-pace.ts";
import { judgeSettled } from "./judge-settled.ts";
import type { JudgedEngine } from "./judge-settled.ts";
import { parseQuery } from "./query.ts";
import type { Query } from "./query.ts";
import { rankPages } from "./rank-pages.ts";
import { ReadingQueue } from "./reading-queue.ts";
import { SearchCache } from "./search-cache.ts";
import { earlyPagesMin, earlySettledMin } from "./search-limits.ts";
import { SharedWork } from "../../base/shared-work.ts";
import type { SuspensionBook } from "./suspension-book.ts";
import { suspensionDetail } from "./suspension-detail.ts";
import type { WebSearch } from "./web-search.ts";

export interface EngineSearchParts {
  readonly guard: NetworkGuard;
  readonly roster: EngineRoster;
  /** Every engine there is, for the self-check. */
  readonly wholeRoster: EngineRoster;
  readonly settings: EngineSettings;
  readonly baseUrls: Readonly<Record<string, string>>;
  readonly book: SuspensionBook;
  /** The wall clock, in ms. */
  readonly now: () => number;
}

/** A query that every index has pages for, of the web and of programmers. */
const checkQuery = "python tutorial";

/** Searches by asking search engines, as ranking.md of the published contract says. */
export class EngineSearch implements WebSearch {
  readonly #parts: EngineSearchParts;
  readonly #pace = new EnginePace();
  readonly #memories = new EngineMemories();
  readonly #reading = new ReadingQueue();
  readonly #cache = new SearchCache<SearchReply>();
  readonly #underWay = new SharedWork<SearchReply>();
  readonly #closing = new AbortController();

  constructor(parts: EngineSearchParts) {
    this.#parts = parts;
  }

  async search({ query: written }: SearchRequest, signal: AbortSignal): Promise<SearchReply> {
    const query = parseQuery(written);
    const cached = this.#cache.get(query.text);
    if (cached !== undefined) return { ...cached, cached: true };
    return this.#underWay.run(query.text, signal, async (shared) => {
      const reply = await this.#run(query, this.#parts.roster, shared);
      if (reply.engines.some(isAnswer)) this.#cache.set(query.text, reply);
      return reply;
    });
  }

  report(signal: AbortSignal): Promise<SearchReply> {
    return this.#run(parseQuery(checkQuery), this.#parts.wholeRoster, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#parts.book[Symbol.dispose]();
  }

  async #run(query: Query, roster: EngineRoster, wanted: AbortSignal): Promise<SearchReply> {
    const startedAt = performance.now();
    const now = new Date(this.#parts.now());
    const choices = chooseEngines(roster, this.#parts.book);
    const asks = choices.filter((choice) => choice.kind === "ask");
    const signal = AbortSignal.any([wanted, this.#closing.signal]);
    const judged = await this.#ask(asks, query, now, signal);
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

  /** What came of each question, by engine; noted for all processes. */
  async #ask(
    asks: readonly Ask[],
    query: Query,
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
      return isEnough([...judged.values()]);
    };
    const cleared = new Map<string, JudgedEngine>();
    try {
      await askAll(asks, { pace: this.#pace, askOne: this.#asker(query), onSettled }, signal);
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

  #asker(query: Query): Parameters<typeof askAll>[1]["askOne"] {
    const { guard, settings, baseUrls } = this.#parts;
    return ({ engine }, limits) => {
      const base = baseUrls[engine.id];
      const address = engine.id === "searxng" ? settings.searxngUrl : base;
      const allowHosts = address === undefined ? [] : [new URL(address).host];
      const memory = this.#memories.of(engine.id);
      const engineQuery = { text: query.text, settings, memory };
      const reading = this.#reading;
      return askEngine(engine, engineQuery, { guard, base, allowHosts, limits, reading });
    };
  }
}

function isEnough(judged: readonly JudgedEngine[]): boolean {
  if (judged.length < earlySettledMin) return false;
  const keys = new Set(judged.flatMap(({ list }) => list?.pages.map(({ key }) => key) ?? []));
  return keys.size >= earlyPagesMin;
}

/** True for an engine that is in order, whether it knows the words or not. */
function isAnswer({ status }: EngineReport): boolean {
  return status === "ok" || status === "no_results";
}

function reportOf(choice: Choice, judged: ReadonlyMap<string, JudgedEngine>): EngineReport {
  const name = choice.engine.id;
  if (choice.kind === "suspended") {
    const detail = suspensionDetail(choice.leftMs, choice.reason);
    return { name, status: "suspended", count: 0, ms: 0, detail };
  }
  return judged.get(name)?.report ?? { name, status: "timeout", count: 0, ms: 0 };
}
