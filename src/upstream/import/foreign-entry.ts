import { isObject } from "../../base/values.ts";
import type { Table } from "../config/parse-server-file.ts";
import type { NewEntry } from "../edit/server-text.ts";

/** The differences between clients whose files look alike. */
export interface Dialect {
  /** The unit of `timeout` in milliseconds; without it the unit is unknown, and the timeout is not imported. */
  readonly timeoutUnitMs?: number;
  /** The syntax of environment variables in values, when it is not `${NAME}`. */
  readonly variables?: "dollar" | "braces";
}

export type ForeignEntry =
  /** `notes`: the parts that are not imported; each completes "server "x" ". */
  | { readonly kind: "entry"; readonly entry: NewEntry; readonly notes: readonly string[] }
  /** Completes "server "x" ". */
  | { readonly kind: "fault"; readonly text: string };

/** Converts an entry of another client's configuration. Keys that only that client knows are left out. Never throws. */
export function foreignEntry(value: unknown, dialect: Dialect): ForeignEntry {
  if (!isObject(value)) return { kind: "fault", text: "must be a table of settings" };
  // Zed once had command, args and env in one table.
  const fields = isObject(value.command) ? { ...value, ...nestedCommand(value.command) } : value;
  const url = firstText(fields, ["url", "serverUrl", "httpUrl", "uri"]);
  const words = commandWords(fields);
  if (words === undefined && url === undefined) {
    return { kind: "fault", text: "has neither a command nor a url" };
  }
  const address = words === undefined ? httpPart(fields, url) : stdioPart(fields, words);
  const entry = {
    ...variablesOf(dialect, address),
    ...optionsOf(fields, dialect),
  };
  return { kind: "entry", entry, notes: notesOf(fields) };
}

function nestedCommand(command: Table): Table {
  const { path, ...rest } = command;
  return { ...rest, command: path };
}

function commandWords(fields: Table): readonly string[] | undefined {
  const command = fields.command ?? fields.cmd;
  const args = Array.isArray(fields.args) ? fields.args : [];
  const words = Array.isArray(command) ? [...command, ...args] : [command, ...args];
  const isUsable = words.every((word) => typeof word === "string") && words[0] !== "";
  return isUsable && words.length > 0 ? words : undefined;
}

function stdioPart(fields: Table, words: readonly string[]): Table {
  const [command, ...args] = words;
  const env = mapOf(fields.env ?? fields.environment ?? fields.envs);
  const cwd = fields.cwd ?? fields.workingDirectory;
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(env !== undefined && { env }),
    ...(typeof cwd === "string" && cwd !== "" && { cwd }),
  };
}

function httpPart(fields: Table, url: string | undefined): Table {
  const bearer = fields.bearer_token_env_var;
  const fromEnvironment = Object.entries(mapOf(fields.env_http_headers) ?? {});
  const headers = {
    ...mapOf(fields.headers ?? fields.http_headers),
    ...Object.fromEntries(fromEnvironment.map(([name, variable]) => [name, `\${${variable}}`])),
    ...(typeof bearer === "string" && { Authorization: `Bearer \${${bearer}}` }),
  };
  return { url, ...(Object.keys(headers).length > 0 && { headers }) };
}

/** A map of strings; numbers and booleans become strings. */
function mapOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).filter(([, item]) =>
    ["string", "number", "boolean"].includes(typeof item),
  );
  return entries.length === 0
    ? undefined
    : Object.fromEntries(entries.map(([name, item]) => [name, String(item)]));
}

function optionsOf(fields: Table, dialect: Dialect): Table {
  const allow = listOf(
    fields.allow ?? fields.enabled_tools ?? fields.includeTools ?? fields.available_tools,
  );
  const deny = listOf(fields.deny ?? fields.disabled_tools ?? fields.excludeTools);
  const timeoutMs =
    millisOf(fields.timeout_ms, 1) ??
    millisOf(fields.tool_timeout_sec, 1000) ??
    millisOf(fields.timeout, dialect.timeoutUnitMs);
  const initTimeoutMs =
    millisOf(fields.init_timeout_ms, 1) ?? millisOf(fields.startup_timeout_sec, 1000);
  const isOff = fields.enabled === false || fields.disabled === true;
  return {
    ...(isOff && { enabled: false }),
    ...(allow !== undefined && { allow }),
    ...(deny !== undefined && { deny }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    ...(initTimeoutMs !== undefined && { init_timeout_ms: initTimeoutMs }),
    ...Object.fromEntries(ownKeys.flatMap((key) => (key in fields ? [[key, fields[key]]] : []))),
  };
}

/** scorpiox-code's own options, which have no other meaning in any client. */
const ownKeys = [
  "tools_prefix",
  "max_result_chars",
  "policy",
  "isolation",
  "defer",
  "always_load",
  "idle_stop_s",
  "sampling",
  "elicitation",
  "roots",
  "auto_approve",
  "era",
  "inherit_env",
  "oauth",
  "start",
  "restart",
  "idle_ms",
  "handover",
  "promote",
  "poll_s",
];

function listOf(value: unknown): readonly string[] | undefined {
  const texts = Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  return texts.length === 0 ? undefined : texts;
}

function millisOf(value: unknown, unitMs: number | undefined): number | undefined {
  if (typeof value !== "number" || unitMs === undefined || !(value > 0)) return undefined;
  return Math.round(value * unitMs);
}

/** Notes on rights that the other client granted and on settings that are not supported. */
function notesOf(fields: Table): readonly string[] {
  const rights = ["autoApprove", "alwaysAllow", "trust", "autoApproveTools"].filter(
    (key) => fields[key] !== undefined && fields[key] !== false,
  );
  return [
    ...rights.map((key) => `had ${key}: it is not imported, scorpiox-code's rules ask again`),
    ...(fields.headersHelper === undefined ? [] : ["had headersHelper: give the headers yourself"]),
  ];
}

function variablesOf({ variables }: Dialect, part: Table): Table {
  if (variables === undefined) return part;
  const pattern = variables === "dollar" ? /\$([A-Za-z_]\w*)/g : /\{env:([A-Za-z_]\w*)\}/g;
  const translate = (value: unknown): unknown => {
    if (typeof value === "string") return value.replaceAll(pattern, "${$1}");
    if (Array.isArray(value)) return value.map(translate);
    return isObject(value) ? translateTable(value) : value;
  };
  const translateTable = (table: Table): Table =>
    Object.fromEntries(Object.entries(table).map(([key, item]) => [key, translate(item)]));
  return translateTable(part);
}

function firstText(fields: Table, keys: readonly string[]): string | undefined {
  const texts = keys.map((key) => fields[key]).filter((text) => typeof text === "string");
  return texts.find((text) => text !== "");
}
