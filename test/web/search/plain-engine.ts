import type {
  EngineAnswer,
  EngineId,
  RawResult,
  SearchEngine,
} from "../../../src/web/search/engine.ts";

export interface PlainEngineTraits {
  readonly provider?: string;
  readonly weight?: number;
}

/** An engine whose answer is the `EngineAnswer` itself, as JSON: for tests of what is done with answers. */
export function plainEngine(id: EngineId, traits: PlainEngineTraits = {}): SearchEngine {
  return {
    id,
    provider: traits.provider ?? id,
    weight: traits.weight ?? 1,
    domain: `${id}.example`,
    start: ({ text }) => ({
      step: "search",
      method: "GET",
      url: `https://${id}.example/search?q=${encodeURIComponent(text)}`,
      headers: { "User-Agent": "test", Accept: "*/*" },
    }),
    judgeLocation: (url) => (url.pathname === "/captcha" ? captcha : undefined),
    async read({ status, text }) {
      if (status !== 200) return { state: "error", detail: `HTTP ${status}` };
      try {
        return JSON.parse(text) as EngineAnswer;
      } catch {
        return { state: "parse_error", detail: "no JSON" };
      }
    },
  };
}

export const captcha: EngineAnswer = { state: "blocked", cause: "challenge", detail: "captcha" };

/** The answer with these pages; titles and snippets have the word that tests search for. */
export function found(...urls: readonly string[]): EngineAnswer {
  return { state: "ok", results: urls.map((url): RawResult => rawResult(url)) };
}

export function rawResult(url: string): RawResult {
  return { title: `Kestrel at ${url}`, url, snippet: `About the kestrel, as told by ${url}.` };
}
