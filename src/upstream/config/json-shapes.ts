import type { Environment } from "../../config/load-config.ts";
/** An entry as written in a file; nothing in it has been checked. */
export interface RawEntry {
  /** Undefined in a list whose entry has none. */
  readonly name: unknown;
  readonly value: unknown;
}

export type RawEntries =
  | { readonly kind: "entries"; readonly entries: readonly RawEntry[] }
  | { readonly kind: "fault"; readonly text: string };

const containerKeys = ["mcpServers", "mcp_servers", "servers", "context_servers"];
const addressKeys = ["command", "url", "serverUrl", "httpUrl"];

/** Finds the entries in the JSON of any of the known shapes (CF9, CF10). */
export function entriesOfJson(root: unknown): RawEntries {
  if (Array.isArray(root)) return { kind: "entries", entries: root.map(listEntry) };
  if (!isTable(root)) return { kind: "fault", text: "it holds neither an object nor a list" };
  const containers = containerKeys.filter((key) => Object.hasOwn(root, key));
  if (containers.length === 0) return entriesOfBareMap(root);
  const filled = containers.find((key) => !isEmpty(root[key])) ?? containers[0] ?? "";
  return entriesOfContainer(filled, root[filled]);
}

/** Finds the entries in a parsed `config.toml`: `[mcp.servers.NAME]`. */
export function entriesOfToml(root: unknown): RawEntries {
  const mcp = isTable(root) ? root["mcp"] : undefined;
  const servers = isTable(mcp) ? mcp["servers"] : undefined;
  if (servers === undefined) return { kind: "entries", entries: [] };
  return entriesOfContainer("mcp.servers", servers);
}

/** True for an object that is not an array. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function entriesOfContainer(key: string, value: unknown): RawEntries {
  if (Array.isArray(value)) return { kind: "entries", entries: value.map(listEntry) };
  if (isTable(value)) return { kind: "entries", entries: entriesOfTable(value) };
  return { kind: "fault", text: `its ${key} is neither an object nor a list` };
}

function entriesOfTable(table: Readonly<Record<string, unknown>>): RawEntry[] {
  return Object.entries(table).map(([name, value]) => ({ name, value }));
}

function listEntry(value: unknown): RawEntry {
  return { name: isTable(value) ? value["name"] : undefined, value };
}

/** Only when every entry looks like a server: another program's settings are not broken servers. */
function entriesOfBareMap(root: Readonly<Record<string, unknown>>): RawEntries {
  const entries = entriesOfTable(root);
  const isMap = entries.every(
    ({ value }) => isTable(value) && addressKeys.some((key) => Object.hasOwn(value, key)),
  );
  if (isMap) return { kind: "entries", entries };
  return { kind: "fault", text: `it has no ${containerKeys[0]}` };
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** True in a process that another scorpiox-code process has started as one of its own servers (CF20). */
export function isNested(env: Environment): boolean {
  const depth = env["SCORPIOX_DEPTH"]?.trim() ?? "";
  return depth !== "" && depth !== "0";
}
