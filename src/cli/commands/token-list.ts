import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { AppError } from "../../base/errors.ts";
import type { TokenLines } from "../../server/auth/static-tokens.ts";
import { readTokenFile } from "../../server/auth/token-file.ts";
import { openTokenStore } from "../../state/tokens/open-token-store.ts";
import { statusOf, type TokenRecord, type TokenStatus } from "../../state/tokens/token-store.ts";
import { columns, exitCodes, type Printer } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { directoryFlags, type FlagTable, jsonFlag } from "../flags.ts";
import { readHttpValues } from "../http-values.ts";
import { readStartUp } from "../start-up.ts";

export const plainFileFlag: FlagTable = {
  "token-file": {
    kind: "text",
    placeholder: "FILE",
    help: "The file of plain tokens. Default: that of http.toml or HTTP_TOKEN_FILE.",
  },
};

export const tokenListCommand: Command = {
  usage: "[--token-file FILE] [--all] [--json]",
  description:
    "Lists the tokens that clients of serve --http may send: those of token add, and the plain lines of a token file. Of no token more than its\n" +
    "label is kept or shown. The last use is exact to the minute.",
  flags: {
    all: {
      kind: "switch",
      help: "Also list tokens that expired or were revoked in the last 30 days.",
    },
    ...plainFileFlag,
    ...jsonFlag,
    ...directoryFlags,
  },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run(context) {
    const { args, print } = context;
    const { tokens, problems } = await listedTokens(context);
    for (const problem of problems) print.warning(problem);
    const shown = tokens.filter(
      ({ status }) => args.has("all") || status === "valid" || status === "replaced",
    );
    if (args.has("json")) print.json(shown);
    else printTokens(shown, print);
    return exitCodes.done;
  },
};

function printTokens(tokens: readonly ListedToken[], print: Printer): void {
  if (tokens.length === 0) {
    print.note('There are no tokens. Make one: "token add LABEL"');
    return;
  }
  const head = ["LABEL", "STATUS", "SCOPES", "SERVERS", "EXPIRES", "LAST USE"];
  const rows = tokens.map((token) => [
    token.label,
    token.kind === "plain" ? `plain, in ${token.file ?? ""}` : token.status,
    token.scopes?.join(" ") ?? "all",
    token.servers === null ? "all" : token.servers.join(" ") || "none",
    shownTime(token.expires) ?? "never",
    shownTime(token.lastUse) ?? (token.kind === "plain" ? "unknown" : "never"),
  ]);
  for (const row of columns([head, ...rows])) print.line(row);
}

function shownTime(time: string | null): string | undefined {
  return time?.slice(0, 16).replace("T", " ");
}

/** A token as `token list --json` prints it. Times are ISO 8601. */
interface ListedToken {
  readonly label: string;
  /** `plain`: a file has it in clear. */
  readonly kind: "made" | "plain";
  readonly status: TokenStatus;
  /** null: everything. */
  readonly scopes: readonly string[] | null;
  /** null: all. */
  readonly servers: readonly string[] | null;
  readonly created: string | null;
  readonly expires: string | null;
  readonly lastUse: string | null;
  /** The file of a token that is written down in plain text. */
  readonly file?: string;
}

/** All tokens, the made ones first, and the faults of files. @throws AppError when the made ones cannot be read */
async function listedTokens(context: CommandContext): Promise<{
  readonly tokens: readonly ListedToken[];
  readonly problems: readonly string[];
}> {
  const { scorpioxDir } = readStartUp(context.args, context.io).dirs;
  const engine = await context.services.storePlace();
  await using store = openTokenStore(scorpioxDir, engine);
  const records = await store.list();
  const nowMs = Date.now();
  const made = records.map((record) => listed(record, nowMs)).toSorted(byLabel);
  const plain = plainFiles(context).map((file) => ({ file, lines: linesOf(file) }));
  return {
    tokens: [...made, ...plain.flatMap(({ file, lines }) => plainTokens(file, lines))],
    problems: plain.flatMap(({ lines }) =>
      lines.fault === undefined ? [] : [lines.fault.message],
    ),
  };
}

/** The file of each label that has a plain token. */
export function plainLabels(context: CommandContext): ReadonlyMap<string, string> {
  return new Map(
    plainFiles(context).flatMap((file) =>
      plainTokens(file, linesOf(file)).map(({ label }) => [label, file] as const),
    ),
  );
}

function byLabel(one: ListedToken, other: ListedToken): number {
  const order = one.label.localeCompare(other.label);
  return order === 0 ? (one.created ?? "").localeCompare(other.created ?? "") : order;
}

function listed(record: TokenRecord, nowMs: number): ListedToken {
  const { label, scopes, servers, createdAtMs, expiresAtMs, usedAtMs } = record;
  return {
    label,
    kind: "made",
    status: statusOf(record, nowMs),
    scopes: scopes ?? null,
    servers: servers ?? null,
    created: timeOf(createdAtMs),
    expires: timeOf(expiresAtMs),
    lastUse: timeOf(usedAtMs),
  };
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** The file that is named or configured, and the one that a server has made for itself. */
function plainFiles({ args, io }: CommandContext): readonly string[] {
  const { scorpioxDir } = readStartUp(args, io).dirs;
  const named = readHttpValues(args, io, scorpioxDir).text("token-file");
  const own = join(scorpioxDir, "http-token");
  return [
    ...new Set([
      ...(named === undefined ? [] : [resolve(io.cwd, named)]),
      ...(existsSync(own) ? [own] : []),
    ]),
  ];
}

function linesOf(file: string): TokenLines {
  try {
    return readTokenFile(file);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { tokens: [], fault: error };
  }
}

function plainTokens(file: string, { tokens }: TokenLines): readonly ListedToken[] {
  return tokens.map(({ principal }) => ({
    label: principal.label ?? "",
    kind: "plain",
    status: "valid",
    scopes: principal.scopes === undefined ? null : [...principal.scopes],
    servers: null,
    created: null,
    expires: null,
    lastUse: null,
    file,
  }));
}
