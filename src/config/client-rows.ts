import { quoteValue } from "./problems.ts";

/** One row of `clients.json`: the limits of a client. Missing fields have defaults. */
export interface ClientRow {
  /** The value of `--client`. */
  readonly id: string;
  /** `clientInfo.name`s, in any case; a final `*` stands for any ending. */
  readonly names: readonly string[];
  readonly answerMs?: number;
  readonly resultCharsMax?: number;
  /** False: it defers tools by itself, and gets all upstream tools. */
  readonly defer?: boolean;
  /** The parts of a result that its model sees; `?`, like absent, is unknown. */
  readonly shows?: ShownForm | "?";
}

/**
 * `json`: `structuredContent` alone where there is any; `text`: the content alone, unless it is empty; `both`: both.
 */
export type ShownForm = "json" | "text" | "both";

const shownForms: readonly unknown[] = ["json", "text", "both", "?"] satisfies (ShownForm | "?")[];

/** The bounds of a row's numbers, so that a typo cannot make every answer empty. */
const answerMsMin = 1000;
const answerMsMax = 86_400_000;
const resultCharsMin = 1000;
const resultCharsCeiling = 500_000;

/** Checks the parsed text of a user's `clients.json`. Invalid rows are reported and skipped. */
export function parseClientRows(json: unknown, report: (text: string) => void): ClientRow[] {
  if (!Array.isArray(json)) {
    report(
      'it must be an array of {"id", "names", "answerMs", "resultCharsMax", "defer", "shows"}; it is ignored.',
    );
    return [];
  }
  const rows: ClientRow[] = [];
  for (const [index, item] of json.entries()) {
    const row = parseRow(item);
    if (typeof row === "string") report(`entry ${index + 1}: ${row}; the entry is ignored.`);
    else rows.push(row);
  }
  return rows;
}

/** The row, or its error. */
function parseRow(item: unknown): ClientRow | string {
  if (!isRecord(item)) return "it must be an object";
  const { id, names = [], answerMs, resultCharsMax, defer, shows } = item;
  if (typeof id !== "string" || id === "") return "id must be a text";
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
    return "names must be an array of texts";
  }
  if (answerMs !== undefined && answerMs !== 0 && !isWithin(answerMs, answerMsMin, answerMsMax)) {
    return refusal("answerMs", answerMs, `from ${answerMsMin} to ${answerMsMax}, or 0`);
  }
  const charsRange = `from ${resultCharsMin} to ${resultCharsCeiling}`;
  if (
    resultCharsMax !== undefined &&
    !isWithin(resultCharsMax, resultCharsMin, resultCharsCeiling)
  ) {
    return refusal("resultCharsMax", resultCharsMax, charsRange);
  }
  if (defer !== undefined && typeof defer !== "boolean") return "defer must be true or false";
  if (shows !== undefined && !shownForms.includes(shows)) {
    const given = typeof shows === "string" ? shows : JSON.stringify(shows);
    return `shows is ${quoteValue(given)}, it must be "json", "text", "both" or "?"`;
  }
  return {
    id,
    names,
    ...(answerMs !== undefined && { answerMs }),
    ...(resultCharsMax !== undefined && { resultCharsMax }),
    ...(defer !== undefined && { defer }),
    ...(shows !== undefined && { shows: shows as ShownForm | "?" }),
  };
}

function refusal(field: string, value: unknown, allowed: string): string {
  return `${field} is ${quoteValue(JSON.stringify(value))}, it must be a whole number ${allowed}`;
}

function isWithin(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
