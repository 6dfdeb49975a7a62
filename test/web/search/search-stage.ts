import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createGuard } from "../../../src/web/guard/create-guard.ts";
import type { EngineRoster } from "../../../src/web/search/choose-engines.ts";
import { EngineSearch } from "../../../src/web/search/create-search.ts";
import type { EngineAnswer, EngineId, SearchEngine } from "../../../src/web/search/engine.ts";
import { SuspensionBook } from "../../../src/web/search/suspension-book.ts";
import { plainEngine } from "./plain-engine.ts";

/** How an engine's server behaves: it gives this answer, or does this. */
export type Play = EngineAnswer | ((request: Request) => Response | Promise<Response>);

/** Never answers; the request ends when its client goes. */
export const hang: Play = () => new Promise<Response>(() => {});

interface StageOptions {
  readonly bench?: readonly SearchEngine[];
  readonly extras?: readonly SearchEngine[];
  readonly engines?: readonly SearchEngine[];
}

/** Local servers that play search engines, and searches that ask them through the real guard. */
export class SearchStage implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "scorpiox-search-"));
  readonly storePath = join(this.folder, "s.db");
  readonly warnings: string[] = [];
  /** Queries that arrived, by engine. */
  readonly asked = new Map<string, string[]>();
  readonly plays: Record<string, Play>;
  readonly guard = createGuard({ allowHosts: [], proxyEnv: {} });
  readonly baseUrls: Record<string, string> = {};
  /** The wall clock of searches, in ms. */
  nowMs = Date.parse("2026-03-31T12:00:00Z");
  readonly #servers: Bun.Server<undefined>[] = [];
  readonly #searches: EngineSearch[] = [];
  readonly #roster: EngineRoster;

  constructor(plays: Readonly<Partial<Record<EngineId, Play>>>, options: StageOptions = {}) {
    this.plays = { ...plays };
    const engines =
      options.engines ?? (Object.keys(plays) as EngineId[]).map((id) => plainEngine(id));
    const bench = options.bench ?? [];
    const extras = options.extras ?? [];
    const isSlot = ({ id }: SearchEngine): boolean =>
      ![...bench, ...extras].some((other) => other.id === id);
    this.#roster = { slots: engines.filter(isSlot), bench, extras };
    for (const { id } of [...this.#roster.slots, ...bench, ...extras]) this.#serve(id);
  }

  /** A search as another process would make one: with nothing in common but the store. */
  open(storePath = this.storePath): EngineSearch {
    const now = (): number => this.nowMs;
    const warn = (message: string): void => void this.warnings.push(message);
    const search = new EngineSearch({
      guard: this.guard,
      roster: this.#roster,
      wholeRoster: {
        ...this.#roster,
        slots: [...this.#roster.slots, ...this.#roster.bench],
        bench: [],
      },
      settings: {
        language: "en",
        region: undefined,
        marginaliaKey: undefined,
        searxngUrl: undefined,
      },
      baseUrls: this.baseUrls,
      book: new SuspensionBook({ storePath, now, warn }),
      now,
    });
    this.#searches.push(search);
    return search;
  }

  /** How often an engine was asked. */
  count(id: EngineId): number {
    return this.asked.get(id)?.length ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const search of this.#searches) await search[Symbol.asyncDispose]();
    await this.guard[Symbol.asyncDispose]();
    await Promise.all(this.#servers.map((server) => server.stop(true)));
    rmSync(this.folder, { recursive: true });
  }

  #serve(id: EngineId): void {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 60,
      fetch: (request) => {
        const query = new URL(request.url).searchParams.get("q") ?? "";
        this.asked.set(id, [...(this.asked.get(id) ?? []), query]);
        const play = this.plays[id] ?? hang;
        return typeof play === "function" ? play(request) : Response.json(play);
      },
    });
    this.#servers.push(server);
    this.baseUrls[id] = `http://127.0.0.1:${server.port}`;
  }
}

/** A caller who waits as long as it takes. */
export const patient = new AbortController().signal;
