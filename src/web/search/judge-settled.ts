import type { Settled } from "./ask-all.ts";
import { cleanLine, cutAtWord } from "../dom/clean-text.ts";
import { type EngineList, type ListedPage, listPages } from "./engine-list.ts";
import { ownPace } from "./engine-pace.ts";
import { type EngineAnswer, engineIds, type SearchEngine } from "./engine.ts";
import { type Query, tokensOf } from "./query.ts";
import type { EngineReport } from "./search-reply.ts";
import type { SuspensionVerdict } from "./suspension-book.ts";

/** One engine's contribution to a search, its report, and the verdict about asking it again. */
export interface JudgedEngine {
  readonly report: EngineReport;
  readonly verdict: SuspensionVerdict;
  /** Undefined when it found nothing usable. */
  readonly list: EngineList | undefined;
  /** The results of a poisoned engine. */
  readonly suspect: EngineList | undefined;
}

interface Judgement extends Omit<JudgedEngine, "report"> {
  readonly status: EngineReport["status"];
  readonly count: number;
  readonly detail: string | undefined;
}

/** Characters of an engine's own message, which may come from the network. */
const detailCharsMax = 120;

/** Judges the outcome of a question: every kind of failure is distinguished, and none is taken for "no results". */
export function judgeSettled(settled: Settled, query: Query, now: Date): JudgedEngine {
  const { ask, ms } = settled;
  const { verdict, list, suspect, status, count, detail = "" } = judgeFinding(settled, query, now);
  const [sentence = ""] = cleanLine(detail).split(/\.(?: |$)/, 1);
  const shown = cutAtWord(sentence, detailCharsMax);
  const report: EngineReport = {
    name: ask.engine.id,
    status,
    count,
    ms,
    ...(shown === "" ? {} : { detail: shown }),
    ...(ask.replaces === undefined ? {} : { replaces: ask.replaces }),
  };
  return { report, verdict: withReason(verdict, report), list, suspect };
}

function judgeFinding({ ask, finding }: Settled, query: Query, now: Date): Judgement {
  switch (finding.kind) {
    case "answer":
      return judgeAnswer(ask.engine, finding.answer, query, now);
    case "late":
      return failed("timeout", finding.detail, { kind: "fault", reason: "" });
    case "abandoned":
      return failed("timeout", finding.reason, { kind: "unknown" });
    case "own_pace":
      return failed("rate_limited", ownPace, { kind: "unknown" });
  }
}

function judgeAnswer(
  engine: SearchEngine,
  answer: EngineAnswer,
  query: Query,
  now: Date,
): Judgement {
  const { state, detail } = answer;
  switch (state) {
    case "ok":
      return judgeResults(engine, answer, query, now);
    case "no_results":
      return failed("no_results", detail, afterAnswer(answer.backoffMs));
    case "blocked": {
      const kind = answer.cause;
      return failed("blocked", detail, { kind, reason: "" });
    }
    case "rate_limited": {
      const waitMs = answer.retryAfterMs;
      return failed("rate_limited", detail, { kind: "throttled", reason: "", waitMs });
    }
    case "parse_error":
      return failed("parse_error", detail, { kind: "healthy" });
    case "error":
      return failed("error", detail, { kind: "fault", reason: "" });
  }
}

function judgeResults(
  engine: SearchEngine,
  { results, detail, backoffMs }: Extract<EngineAnswer, { state: "ok" }>,
  query: Query,
  now: Date,
): Judgement {
  const pages = listPages(results, now);
  if (pages.length === 0) {
    return failed("parse_error", "no result has a title and an address", { kind: "healthy" });
  }
  const { id, provider, weight } = engine;
  const list = { engine: id, order: engineIds.indexOf(id), provider, weight, pages };
  if (isPoisoned(pages, query.tokens)) {
    const dropped = `${pages.length} unrelated results dropped`;
    return { ...failed("poisoned", dropped, { kind: "poisoned", reason: "" }), suspect: list };
  }
  const verdict = afterAnswer(backoffMs);
  return { status: "ok", count: pages.length, detail, verdict, list, suspect: undefined };
}

function failed(
  status: EngineReport["status"],
  detail: string | undefined,
  verdict: SuspensionVerdict,
): Judgement {
  return { status, count: 0, detail, verdict, list: undefined, suspect: undefined };
}

/** An engine that answers may still want to be left alone for a while. */
function afterAnswer(backoffMs: number | undefined): SuspensionVerdict {
  if (backoffMs === undefined) return { kind: "healthy" };
  return { kind: "throttled", reason: "asked for a pause", waitMs: backoffMs };
}

/** The reason that later searches and `doctor search` give, from the report of this one. */
function withReason(
  verdict: SuspensionVerdict,
  { status, detail }: EngineReport,
): SuspensionVerdict {
  if (verdict.kind === "healthy" || verdict.kind === "unknown") return verdict;
  if (verdict.reason !== "") return verdict;
  const name = status.replaceAll("_", " ");
  return { ...verdict, reason: detail === undefined ? name : `${name} (${detail})` };
}

/**
 * True when an engine that suspects a bot has sent pages about something else: none of them shares a word with the
 * query in its title, snippet or address. Never true for a query without words of its own.
 */
export function isPoisoned(
  pages: readonly ListedPage[],
  queryTokens: ReadonlySet<string>,
): boolean {
  if (queryTokens.size === 0 || pages.length === 0) return false;
  return !pages.some((page) => sharesToken(page, queryTokens));
}

function sharesToken(
  { title, snippet, url }: ListedPage,
  queryTokens: ReadonlySet<string>,
): boolean {
  const found = tokensOf(`${title} ${snippet} ${readableAddress(url)}`);
  return !found.isDisjointFrom(queryTokens);
}

/** The address with its escapes decoded, as far as they can be. */
function readableAddress({ href }: URL): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
