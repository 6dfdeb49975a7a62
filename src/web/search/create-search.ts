import type { NetworkGuard } from "../guard/allowance.ts";
import type { EngineRoster } from "./choose-engines.ts";
import { EngineSearch, type WebSearch } from "./engine-search.ts";
import type { SearchOptions } from "./engine.ts";
import { benchEngines, defaultEngines, engineOf, findEngine } from "./engines/engines.ts";
import type { SearchDeadlines } from "./search-limits.ts";
import { SuspensionBook } from "./suspension-book.ts";

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
