import type { EngineId } from "../../base/search-engine-ids.ts";

export interface SearchOptions {
  /** Ids in the order of docs/spec/search.md#engines (`WEBSEARCH_ENGINES`); undefined = the eleven defaults. */
  readonly engines: readonly string[] | undefined;
  /** `WEBSEARCH_BASE_<ENGINE>` by engine id. */
  readonly baseUrls: Readonly<Record<string, string>>;
  readonly searxngUrl: string | undefined;
  /** BCP 47 language and ISO 3166 region, for instance `en` and `US`. */
  readonly language: string;
  readonly region: string | undefined;
  readonly marginaliaKey: string | undefined;
  /** The store in which suspensions are kept. */
  readonly storePath: string;
}

export { engineIds, type EngineId } from "../../base/search-engine-ids.ts";

/**
 * One search engine: its requests, and the reading of its answers. It does no I/O and keeps nothing between calls, so
 * that a saved page is read by the same code as a live one. Its caller proceeds like this:
 *
 * request = engine.start(query)
 * loop: response = send(request)               // redirects as `judgeRedirect` says
 * request = await engine.next?.(…)       // another request, at most `engineStepsMax` in all
 * answer = await engine.read(response, query)  // when there is none
 */
export interface SearchEngine {
  readonly id: EngineId;
  /** The owner of its index: engines of one provider are one voice in the fusion. */
  readonly provider: string;
  /** Its weight in the fusion. */
  readonly weight: number;
  /** Registrable domain: redirects within it are followed. Undefined = the host of the request only. */
  readonly domain: string | undefined;
  start(query: EngineQuery): EngineRequest;
  /** The request that must follow before there is something to read; undefined = read this response. */
  next?(exchange: EngineExchange, query: EngineQuery): Promise<EngineRequest | undefined>;
  /** The meaning of a redirect to `location`, if it has one: a captcha, a consent wall. */
  judgeLocation?(location: URL): EngineAnswer | undefined;
  /** Never throws, whatever the response holds. */
  read(response: EngineResponse, query: EngineQuery): Promise<EngineAnswer>;
}

/** Requests that one question may take: Startpage's home page, its search, its interstitial. */
export const engineStepsMax = 3;

export interface EngineQuery {
  /** Normalised; never blank. */
  readonly text: string;
  readonly settings: EngineSettings;
  /** The data that this engine kept for its next question. */
  readonly memory: EngineMemory;
}

export type EngineSettings = Pick<
  SearchOptions,
  "language" | "region" | "marginaliaKey" | "searxngUrl"
>;

/** Texts that outlive one question, such as Startpage's `sc` and Qwant's cookie. One for each engine. */
export interface EngineMemory {
  /** Undefined when it was never kept, or its time is up. */
  get(name: string): string | undefined;
  set(name: string, value: string, lifeMs: number): void;
  delete(name: string): void;
}

export interface EngineRequest {
  /** Which request of this engine it is, so that `next` knows what it got. */
  readonly step: string;
  readonly method: "GET" | "POST";
  /** The real address; a base override replaces scheme, host and port when it is sent (`rebaseUrl`). */
  readonly url: string;
  /** Complete, in the order in which they are sent. `Referer` and `Origin` name the real host. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface EngineResponse {
  readonly status: number;
  /** Where it came from in the end, after redirects. */
  readonly url: string;
  /** Names in lower case. Empty for a saved page. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded. */
  readonly text: string;
}

export interface EngineExchange {
  readonly request: EngineRequest;
  readonly response: EngineResponse;
}

/** One result as the engine gave it: plain text, tags gone and entities decoded once; not yet cleaned or cut. */
export interface RawResult {
  /** May be empty; such a result is of no use. */
  readonly title: string;
  /** Absolute, `http:` or `https:`, the engine's own redirect already undone. */
  readonly url: string;
  /** With the date in front of it when the engine shows one there; may be empty. */
  readonly snippet: string;
  /** `YYYY-MM-DD`, from a field of its own. */
  readonly date?: string | undefined;
}

/** A challenge is met again for hours; a denial may be about this one request. */
export type BlockCause = "challenge" | "denied";

export type EngineAnswer =
  | {
      readonly state: "ok";
      /** At least one, in the engine's order. */
      readonly results: readonly RawResult[];
      /** Further information from the engine: which of its own engines failed. */
      readonly detail?: string;
      /** Not to be asked again for so long, although it answered. */
      readonly backoffMs?: number;
    }
  | { readonly state: "no_results"; readonly detail?: string; readonly backoffMs?: number }
  | { readonly state: "blocked"; readonly cause: BlockCause; readonly detail: string }
  | {
      readonly state: "rate_limited";
      readonly detail: string;
      /** From `Retry-After` or `backoff`; undefined when it did not say. */
      readonly retryAfterMs: number | undefined;
    }
  | { readonly state: "parse_error"; readonly detail: string }
  | { readonly state: "error"; readonly detail: string };
