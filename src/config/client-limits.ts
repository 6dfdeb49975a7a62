import { messageOf } from "../base/errors.ts";
import { resultCharsMax } from "../base/limits.ts";
import { remembered } from "../base/remembered.ts";
import { parseClientRows } from "./client-rows.ts";
import type { ClientRow, ShownForm } from "./client-rows.ts";
import compiledJson from "./clients.json" with { type: "json" };
import { ProblemList } from "./problems.ts";
import type { ConfigProblem } from "./problems.ts";
import { readTextFile } from "./read-text-file.ts";

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

const compiledRows = compiledJson as readonly ClientRow[];

/** For unknown clients: most give a call up after 60 s. */
const answerMsDefault = 55_000;

/** The client-limits table. The override file is read once, with the first lookup. */
export function createClientLimits(input: ClientLimitsInput): ClientLimitsTable {
  const problems = new ProblemList();
  let rows: readonly ClientRow[] | undefined;
  const loadedRows = (): readonly ClientRow[] => {
    rows ??= [...readOverrides(input.overrideFile, problems), ...compiledRows];
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

/** By priority: an override may give only one number, and the compiled row the other. */
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
