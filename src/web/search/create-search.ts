import { SharedWork } from "../../base/shared-work.ts";
import type { NetworkGuard } from "../guard/network-guard.ts";
import type { SearchDeadlines } from "./ask-all.ts";
import type { EngineRoster } from "./choose-engines.ts";
import type { SearchOptions } from "./engine.ts";
import { benchEngines, defaultEngines, engineOf, findEngine } from "./engines/engines.ts";
import { parseQuery } from "./query.ts";
import { isAnswer, type SearchReply, type SearchRequest } from "./search-reply.ts";
import { SearchRunner, type SearchRunnerParts, type SearchTask } from "./search-runner.ts";
import { SuspensionBook } from "./suspension-book.ts";

/** The search of the web. */
export interface WebSearch extends AsyncDisposable {
  /**
   * Answers within 6 s; engines that fail are in the reply, never thrown.
   * @throws AppError `usage` for a blank query, `cancelled`
   */
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchReply>;
  /**
   * Asks every engine there is the same query, to see which of them answer from this network. Suspended ones are not
   * asked here either.
   * @throws AppError `cancelled`
   */
  report(signal: AbortSignal): Promise<SearchReply>;
  /** Ends all suspensions, for all processes. False when the store cannot be used. */
  forget(): boolean;
}

/** The web search with its real engines; `guard` is its one way out and stays the caller's. */
export function createSearch(
  options: SearchOptions,
  guard: NetworkGuard,
  deadlines?: SearchDeadlines,
): WebSearch {
  const { engines, language, region, marginaliaKey, searxngUrl, baseUrls, storePath } = options;
  const now = (): number => Date.now();
  const extras = searxngUrl === undefined ? [] : [engineOf("searxng")];
  return new EngineSearch({
    guard,
    roster: { ...chosenRoster(engines), extras },
    wholeRoster: { slots: [...defaultEngines, ...benchEngines], bench: [], extras },
    settings: { language, region, marginaliaKey, searxngUrl },
    baseUrls,
    book: new SuspensionBook({ storePath, now, warn }),
    now,
    ...(deadlines === undefined ? {} : { deadlines }),
  });
}

/** A user who names engines wants these and no others, so a suspended one is not replaced. */
function chosenRoster(names: readonly string[] | undefined): Omit<EngineRoster, "extras"> {
  if (names === undefined) return { slots: defaultEngines, bench: benchEngines };
  return { slots: names.flatMap((name) => findEngine(name) ?? []), bench: [] };
}

/** On stderr, from whatever thread this runs in. */
function warn(message: string): void {
  process.stderr.write(`scorpiox-code: ${message}\n`);
}

export interface EngineSearchParts extends SearchRunnerParts {
  readonly roster: EngineRoster;
  /** Every engine there is, for the self-check. */
  readonly wholeRoster: EngineRoster;
}

/** A query that every index has pages for, of the web and of programmers. */
const checkQuery = "python tutorial";

/**
 * Searches by asking search engines, once for all callers of the same query at the same time, and for a while after.
 */
export class EngineSearch implements WebSearch {
  readonly #parts: EngineSearchParts;
  readonly #runner: SearchRunner;
  readonly #cache = new SearchCache<SearchReply>();
  readonly #underWay = new SharedWork<SearchReply>();
  readonly #running = new Set<Promise<SearchReply>>();
  readonly #closing = new AbortController();

  constructor(parts: EngineSearchParts) {
    this.#parts = parts;
    this.#runner = new SearchRunner(parts);
  }

  async search(request: SearchRequest, signal: AbortSignal): Promise<SearchReply> {
    const { query: written, cacheOwner = "" } = request;
    const query = parseQuery(written);
    const key = `${cacheOwner}\n${query.text}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return { ...cached, cached: true };
    return this.#underWay.run(key, signal, async (shared) => {
      const { roster } = this.#parts;
      const reply = await this.#run({ query, cacheOwner, roster, waitsForAll: false }, shared);
      if (reply.engines.some(isAnswer)) this.#cache.set(key, reply);
      return reply;
    });
  }

  report(signal: AbortSignal): Promise<SearchReply> {
    const query = parseQuery(checkQuery);
    return this.#run({ query, roster: this.#parts.wholeRoster, waitsForAll: true }, signal);
  }

  forget(): boolean {
    return this.#parts.book.forget();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    // Their observations are recorded first.
    await Promise.allSettled(this.#running);
    this.#parts.book[Symbol.dispose]();
  }

  async #run(task: SearchTask, wanted: AbortSignal): Promise<SearchReply> {
    const signal = AbortSignal.any([wanted, this.#closing.signal]);
    const run = this.#runner.run(task, signal);
    this.#running.add(run);
    try {
      return await run;
    } finally {
      this.#running.delete(run);
    }
  }
}

/** A reply is given again this long. */
const cacheAgeMsMax = 15 * 60_000;
/** Replies that are kept; one has some 10 kB. */
const cachedQueriesMax = 200;

/** Replies by query, for a while; the one that was not asked for longest goes first. */
export class SearchCache<Reply> {
  /** In the order of their last use; `endsAt` on the clock of `now`. */
  readonly #entries = new Map<string, { readonly reply: Reply; readonly endsAt: number }>();

  /** @param now a clock that only goes forward, in ms */
  constructor(readonly now: () => number = () => performance.now()) {}

  get(key: string): Reply | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.endsAt <= this.now()) return undefined;
    this.#entries.set(key, entry);
    return entry.reply;
  }

  set(key: string, reply: Reply): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= cachedQueriesMax && oldest !== undefined)
      this.#entries.delete(oldest);
    this.#entries.set(key, { reply, endsAt: this.now() + cacheAgeMsMax });
  }
}
