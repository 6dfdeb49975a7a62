import { messageOf } from "../base/errors.ts";
import { resultCharsMax } from "../base/limits.ts";
import { remembered } from "../base/shared-work.ts";
import { isObject } from "../base/values.ts";
import compiledJson from "./clients.json" with { type: "json" };
import { type ConfigProblem, ProblemList, quoteValue } from "./problems.ts";
import { readTextFile } from "./read-text-file.ts";

/** One row of `clients.json`: the limits of a client. Missing fields have defaults. */
interface ClientRow {
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
type ShownForm = "json" | "text" | "both";

const shownForms: readonly unknown[] = ["json", "text", "both", "?"] satisfies (ShownForm | "?")[];

/** The bounds of a row's numbers, so that a typo cannot make every answer empty. */
const answerMsMin = 1000;
const answerMsMax = 86_400_000;
const resultCharsMin = 1000;
const resultCharsCeiling = 500_000;

/** Checks the parsed text of a user's `clients.json`. Invalid rows are reported and skipped. */
function parseClientRows(json: unknown, report: (text: string) => void): ClientRow[] {
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

function compiledRows(): ClientRow[] {
  return compiledJson.map(parseRow).filter((row) => typeof row !== "string");
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

type Fields = Readonly<Record<string, unknown>>;

/** The row, or its error. */
function parseRow(item: unknown): ClientRow | string {
  if (!isObject(item)) return "it must be an object";
  const row = { names: [], ...item };
  return isClientRow(row) ? row : String(faultOfRow(row));
}

function isClientRow(row: Fields): row is Fields & ClientRow {
  return faultOfRow(row) === undefined;
}

function faultOfRow(row: Fields): string | undefined {
  const { id, names } = row;
  if (typeof id !== "string" || id === "") return "id must be a text";
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
    return "names must be an array of texts";
  }
  for (const [field, faultOf] of optionalFields) {
    const value = row[field];
    const fault = value === undefined ? undefined : faultOf(value);
    if (fault !== undefined) return fault;
  }
  return undefined;
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

/** A client's time and size limits; the fields of the gateway's `ClientLimits`. */
interface KnownClientLimits {
  /** A foreground call answers by then with its output so far; 0 = never handed over. */
  readonly answerMs: number;
  /** Characters of text in one result. */
  readonly resultCharsMax: number;
  /** It defers tools by itself. */
  readonly hidesTools?: boolean;
  /** The parts of a result that its model sees; absent: unknown. */
  readonly shows?: ShownForm;
}

export interface ClientLimitsInput {
  /** `CLIENT_BUDGET_MS`: overrides every row. */
  readonly budgetMs: number | undefined;
  /** From `--client`: overrides the client's own name. */
  readonly clientId: string | undefined;
  /** `~/.scorpiox/clients.json`, whose rows override the compiled ones. */
  readonly overrideFile: string;
}

export interface ClientLimitsTable {
  /** The limits of the client whose `clientInfo` has the name `clientName`. */
  limitsFor(clientName: string | undefined): KnownClientLimits;
  /** False when no row has this id: a typo, or a newer client. */
  hasClient(id: string): boolean;
  /** The ids that `--client` accepts. */
  ids(): readonly string[];
  /** The errors of the override file. */
  problems(): readonly ConfigProblem[];
}

/** For unknown clients: most give a call up after 60 s. */
const answerMsDefault = 55_000;

/** The client-limits table. The override file is read once, with the first lookup. */
export function createClientLimits(input: ClientLimitsInput): ClientLimitsTable {
  const problems = new ProblemList();
  let rows: readonly ClientRow[] | undefined;
  const loadedRows = (): readonly ClientRow[] => {
    rows ??= [...readOverrides(input.overrideFile, problems), ...compiledRows()];
    return rows;
  };
  const find = (clientName: string | undefined): KnownClientLimits => {
    const matching = rowsFor(loadedRows(), input.clientId, clientName);
    const answerMs = matching.find((row) => row.answerMs !== undefined)?.answerMs;
    const charsMax = matching.find((row) => row.resultCharsMax !== undefined)?.resultCharsMax;
    const defer = matching.find((row) => row.defer !== undefined)?.defer;
    const shows = matching.find((row) => row.shows !== undefined)?.shows ?? "?";
    return {
      answerMs: input.budgetMs ?? answerMs ?? answerMsDefault,
      resultCharsMax: charsMax ?? resultCharsMax,
      ...(defer === false && { hidesTools: true }),
      ...(shows !== "?" && { shows }),
    };
  };
  // Clients without a handshake say who they are in every request.
  const findAgain = remembered(find);
  return {
    limitsFor: (clientName) => (clientName === undefined ? find(undefined) : findAgain(clientName)),
    hasClient: (id) => loadedRows().some((row) => isNamed(row, id)),
    ids: () => [...new Set(loadedRows().map((row) => row.id))],
    problems() {
      loadedRows();
      return problems.all;
    },
  };
}

/** Rows of limits, by priority: an override may give only one number, and the compiled row the other. */
function rowsFor(
  rows: readonly ClientRow[],
  clientId: string | undefined,
  clientName: string | undefined,
): ClientRow[] {
  const byId = clientId === undefined ? [] : rows.filter((row) => isNamed(row, clientId));
  if (byId.length > 0 || clientName === undefined) return byId;
  return rows.filter((row) => row.names.some((pattern) => isMatch(pattern, clientName)));
}

/** `--client` accepts a client's own name too: configuration files have both. */
function isNamed(row: ClientRow, id: string): boolean {
  return [row.id, ...row.names].some((name) => isMatch(name, id));
}

/** Bridges add ` (via …)` to the name of the client behind them. */
function isMatch(pattern: string, clientName: string): boolean {
  const wanted = clientName.replace(/ \(via .*$/s, "").toLowerCase();
  const lower = pattern.toLowerCase();
  return lower.endsWith("*") ? wanted.startsWith(lower.slice(0, -1)) : wanted === lower;
}

function readOverrides(file: string, problems: ProblemList): ClientRow[] {
  const content = readTextFile(file);
  if (content.kind === "absent") return [];
  if (content.kind === "unusable") {
    problems.warn({ file }, `this file ${content.reason}; it is ignored.`);
    return [];
  }
  try {
    const json: unknown = Bun.JSONC.parse(content.text);
    return parseClientRows(json, (text) => problems.warn({ file }, text));
  } catch (error) {
    problems.warn({ file }, `this file is not JSON (${messageOf(error)}); it is ignored.`);
    return [];
  }
}
