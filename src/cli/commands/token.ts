import { AppError } from "../../base/errors.ts";
import { isScope } from "../../server/auth/principal.ts";
import {
  isTokenLabel,
  makeToken,
  tokenDigest,
  type TokenRecord,
  type TokenStore,
} from "../../state/tokens/token-store.ts";
import { openTokenStore } from "../../state/tokens/open-token-store.ts";
import { loadUpstreamConfig } from "../../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../../upstream/config/upstream-start.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { directoryFlags, type FlagTable, jsonFlag } from "../flags.ts";
import { readStartUp } from "../start-up.ts";
import { plainFileFlag, plainLabels } from "./token-list.ts";

const expiresFlag: FlagTable = {
  expires: {
    kind: "text",
    placeholder: "TIME",
    help: "It is refused after this time: 12h, 30d, 8w, or never.",
  },
};

export const tokenAddCommand: Command = {
  usage: "LABEL [--scope NAME ...] [--servers LIST] [--expires TIME] [--json]",
  description:
    "Makes a token for clients of serve --http and prints it, once: only its digest is kept. LABEL is who it is for: calls, sessions\n" +
    "and rules have that name. As soon as there is a token, servers accept nobody without one.",
  examples: [
    "token add ada --expires 30d",
    "token add ci --scope tools:use --servers github,docs --expires 12h",
  ],
  flags: {
    scope: {
      kind: "list",
      placeholder: "NAME",
      help: "A scope that it has, for --tool-scopes. May be repeated. Default: it may use every tool.",
    },
    servers: {
      kind: "list",
      placeholder: "LIST",
      help: "The MCP servers that it sees and may use, separated by commas, or none. Default: all.",
    },
    ...expiresFlag,
    ...jsonFlag,
    ...directoryFlags,
  },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run(context) {
    const { args, print } = context;
    const [label = ""] = args.positionals;
    checkLabel(label);
    const scopes = scopesOf(args.list("scope"));
    const servers = serversOf(context);
    const token = makeToken();
    const createdAtMs = Date.now();
    const expiresAtMs = endOf(args.text("expires"), createdAtMs);
    const record: TokenRecord = {
      digest: tokenDigest(token),
      label,
      ...(scopes !== undefined && { scopes }),
      ...(servers !== undefined && { servers }),
      createdAtMs,
      ...(expiresAtMs !== undefined && { expiresAtMs }),
    };
    await using store = await storeOf(context);
    const isFirst = (await store.list()).length === 0;
    await store.add(record);
    printToken(token, record, context);
    if (isFirst && !args.has("json")) print.note(firstText);
    return exitCodes.done;
  },
};

const firstText =
  "It is the first one: servers that run without a token file or signed tokens need a restart to accept it, and answer nobody without a token then.";

function checkLabel(label: string): void {
  if (isTokenLabel(label)) return;
  const text = `${JSON.stringify(label.slice(0, 100))} is not a label: use 1 to 64 letters, digits, ".", "_" and "-".`;
  throw new AppError("usage", text);
}

function scopesOf(given: readonly string[]): readonly string[] | undefined {
  if (given.length === 0) return undefined;
  const scopes = [...new Set(given.flatMap((text) => text.split(/[\s,]+/)))].filter(Boolean);
  const bad = scopes.find((scope) => !isScope(scope));
  if (bad === undefined && scopes.length > 0) return scopes;
  throw new AppError(
    "usage",
    `--scope ${bad ?? given.join(" ")} is not a scope: write one such as tools:use.`,
  );
}

/** Names that no server has are kept, since it may be added later, and named. */
function serversOf({ args, io, print }: CommandContext): readonly string[] | undefined {
  const given = args.list("servers").flatMap((text) => text.split(","));
  const names = [...new Set(given.map((name) => name.trim()))].filter(Boolean);
  if (given.length === 0) return undefined;
  if (names.length === 1 && names[0] === "none") return [];
  if (names.length === 0)
    throw new AppError("usage", "--servers names no server: write none for none.");
  const { servers } = loadUpstreamConfig(configPartsOf(readStartUp(args, io), io.env));
  const unknown = names.filter((name) => !servers.has(name));
  if (unknown.length > 0)
    print.warning(`No MCP server named ${unknown.join(", ")} is configured here.`);
  return names;
}

/** Undefined: never. */
function endOf(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || text === "never") return undefined;
  const ms = durationMs(text);
  if (ms !== undefined && ms > 0) return nowMs + ms;
  throw new AppError("usage", `--expires ${text} is not a time: write 12h, 30d, 8w or never.`);
}

/** The token alone goes to stdout, so that a script can take it. */
function printToken(token: string, record: TokenRecord, { args, print }: CommandContext): void {
  const { label, scopes, servers, expiresAtMs } = record;
  const expires = expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString();
  if (args.has("json")) {
    print.json({ label, token, scopes: scopes ?? null, servers: servers ?? null, expires });
    return;
  }
  print.line(token);
  const until = expires === null ? "until it is revoked" : `until ${expires}`;
  print.note(
    `The token of ${label}, valid ${until}. It is shown this once: clients send it as "Authorization: Bearer …".`,
  );
}

export const tokenRevokeCommand: Command = {
  usage: "LABEL [--json]",
  description:
    "Ends the tokens of LABEL, those that were replaced too. Running servers refuse them within a second and end what they have opened.",
  flags: { ...plainFileFlag, ...jsonFlag, ...directoryFlags },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run(context) {
    const { args, print } = context;
    const [label = ""] = args.positionals;
    await using store = await storeOf(context);
    const count = await store.revoke(label, Date.now());
    if (args.has("json")) print.json({ label, revoked: count });
    const plainFile = plainLabels(context).get(label);
    if (plainFile !== undefined) {
      print.warning(
        `${label} has a plain token too, which stays valid: take its line out of ${plainFile}.`,
      );
    }
    if (count === 0) throw new AppError("not_found", `There is no valid token of ${label}.`);
    if (!args.has("json"))
      print.done(`${count === 1 ? "The token" : `${count} tokens`} of ${label} revoked`);
    return exitCodes.done;
  },
};

export const tokenRotateCommand: Command = {
  usage: "LABEL [--grace TIME] [--expires TIME] [--json]",
  description:
    "Makes a new token in the place of that of LABEL, with the same scopes, servers and lifetime, and prints it, once. The old one is valid for\n" +
    "the time of --grace, so that its holder can change it.",
  examples: ["token rotate ada", "token rotate ada --grace 0"],
  flags: {
    grace: {
      kind: "text",
      placeholder: "TIME",
      help: "The old token is valid for so long: 24h (the default), 30m, or 0.",
    },
    ...expiresFlag,
    ...jsonFlag,
    ...directoryFlags,
  },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run(context) {
    const { args } = context;
    const [label = ""] = args.positionals;
    const grace = args.text("grace") ?? "24h";
    const graceMs = durationMs(grace);
    if (graceMs === undefined)
      throw new AppError("usage", `--grace ${grace} is not a time: write 24h, 30m or 0.`);
    const nowMs = Date.now();
    const token = makeToken();
    const digest = tokenDigest(token);
    const expiresAtMs = endOf(args.text("expires"), nowMs);
    await using store = await storeOf(context);
    const rotation = { label, digest, nowMs, graceMs, expiresAtMs };
    printToken(token, await store.rotate(rotation), context);
    return exitCodes.done;
  },
};

async function storeOf({ args, io, services }: CommandContext): Promise<TokenStore> {
  const engine = await services.storePlace();
  return openTokenStore(readStartUp(args, io).dirs.scorpioxDir, engine);
}

const units: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Ten years: a longer time is a mistake. */
const durationMsMax = 3_660 * 86_400_000;

/** `90s`, `30m`, `24h`, `30d`, `8w` or `0` in milliseconds; undefined for another text, or for more than ten years. */
export function durationMs(text: string): number | undefined {
  if (text === "0") return 0;
  const [, digits = "", unit = ""] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const ms = Number(digits) * (units[unit] ?? Number.NaN);
  return Number.isNaN(ms) || ms > durationMsMax ? undefined : ms;
}
