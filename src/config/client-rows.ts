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

/** The error of a field's value, if it has one. */
type FaultOf = (value: unknown) => string | undefined;

/** The fields that a row may leave out, in the order in which they are checked. */
const optionalFields: readonly (readonly [keyof ClientRow, FaultOf])[] = [
  ["answerMs", answerMsFault],
  ["resultCharsMax", resultCharsFault],
  ["defer", deferFault],
  ["shows", showsFault],
];

/** The row, or its error. */
function parseRow(item: unknown): ClientRow | string {
  if (!isRecord(item)) return "it must be an object";
  const { id, names = [] } = item;
  if (typeof id !== "string" || id === "") return "id must be a text";
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
    return "names must be an array of texts";
  }
  const row: Record<string, unknown> = { id, names };
  for (const [field, faultOf] of optionalFields) {
    const value = item[field];
    if (value === undefined) continue;
    const fault = faultOf(value);
    if (fault !== undefined) return fault;
    row[field] = value;
  }
  return row as unknown as ClientRow;
}

function answerMsFault(value: unknown): string | undefined {
  if (value === 0 || isWithin(value, answerMsMin, answerMsMax)) return undefined;
  return refusal("answerMs", value, `from ${answerMsMin} to ${answerMsMax}, or 0`);
}

function resultCharsFault(value: unknown): string | undefined {
  if (isWithin(value, resultCharsMin, resultCharsCeiling)) return undefined;
  return refusal("resultCharsMax", value, `from ${resultCharsMin} to ${resultCharsCeiling}`);
}

function deferFault(value: unknown): string | undefined {
  return typeof value === "boolean" ? undefined : "defer must be true or false";
}

function showsFault(value: unknown): string | undefined {
  if (shownForms.includes(value)) return undefined;
  const given = typeof value === "string" ? value : JSON.stringify(value);
  return `shows is ${quoteValue(given)}, it must be "json", "text", "both" or "?"`;
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
