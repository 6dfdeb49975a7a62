import { statSync } from "node:fs";
import { join } from "node:path";

import { sha256Hex } from "../../base/digests.ts";
import { keptListsBytesMax } from "../../base/upstream-limits.ts";
import { type Environment, isObject, jsonOrNothing } from "../../base/values.ts";
import { readOwnTextFile } from "../../config/read-text-file.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";
import { appearanceNow } from "../../base/file-appearance.ts";
import { fixedSources, serverKeys, type ServersStart } from "../config/upstream-start.ts";
import type { ServerInfo } from "../server-state.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";

/** One tool of upstream servers, as it was listed. */
export interface KeptTool {
  readonly listing: ToolListing;
  /** See `ToolEntry`. */
  readonly isForApps?: true;
  /** Only clients that hide tools by themselves have it in their list. */
  readonly isHidden?: true;
}

/**
 * The tools of all servers as the last start here listed them. For the first list alone: nothing may be decided by it about a
 * call.
 */
export interface KeptLists extends Pick<UpstreamSnapshot, "ttlMs" | "isPrivate"> {
  readonly tools: readonly KeptTool[];
  readonly servers: readonly Pick<ServerInfo, "state">[];
}

/** Everything that the lists follow from; when any of it has changed, they are not used. */
export interface KeptSources {
  /** Files of configuration and approvals, by path: how each looked before it was read. */
  readonly files: Readonly<Record<string, string>>;
  /** Cached catalogues, by path: how each looked before it was read. Catalogues are touched when nothing in them has changed. */
  readonly catalogues: Readonly<Record<string, string>>;
  /** Variables of the environment that entries name, and the state of each, without its value. */
  readonly variables: Readonly<Record<string, VariableState>>;
}

type VariableState = "unset" | "empty" | "set";

interface KeptFile extends KeptSources {
  readonly version: number;
  readonly lists: KeptLists;
}

/** Version of the format, and of the words in listings; a file of another version is not read. */
const keptVersion = 1;

/** The file of kept lists for a start: one for each project, set of start options and version of the program. */
export function keptListsFileOf(start: ServersStart, env: Environment, version: string): string {
  const { dirs, workspaceName: workspace, upstream, config } = start;
  const { mcp } = config.settings;
  const given = serverKeys.map(({ name }) => [env[`SCORPIOX_${name}`], env[name]]);
  const sources = fixedSources({ dirs, workspace }, false).map(({ file }) => file);
  const way = [version, process.execPath, dirs, workspace, upstream, mcp, given, sources];
  const key = sha256Hex(JSON.stringify(way)).slice(0, keyChars);
  return join(dirs.scorpioxDir, "cache", "mcp", "lists", `${key}.json`);
}

/** Two of them never meet. */
const keyChars = 32;

export function printKeptLists(lists: KeptLists, sources: KeptSources): string | undefined {
  const file: KeptFile = { version: keptVersion, ...sources, lists };
  const text = JSON.stringify(file);
  return Buffer.byteLength(text) > keptListsBytesMax ? undefined : text;
}

/** The lists of an earlier start here; undefined when there are none, or anything that they follow from has changed. */
export function readKeptLists(file: string, env: Environment): KeptLists | undefined {
  const content = readOwnTextFile(file);
  if (content.kind !== "text") return undefined;
  const value = jsonOrNothing(content.text);
  return isKeptFile(value) && isCurrent(value, env) ? value.lists : undefined;
}

/** Whether everything is as it was when the lists were made. */
export function isCurrent(
  { files, catalogues, variables }: KeptSources,
  env: Environment,
): boolean {
  return (
    Object.entries(files).every(([path, seen]) => appearanceNow(path) === seen) &&
    Object.entries(catalogues).every(([path, seen]) => contentMarkOf(path) === seen) &&
    Object.entries(variables).every(([name, was]) => variableState(name, env) === was)
  );
}

export function variableState(name: string, env: Environment): VariableState {
  const value = env[name];
  if (value === undefined) return "unset";
  return value === "" ? "empty" : "set";
}

/** A mark for the content of a file that is replaced with each change of its content. */
export function contentMarkOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? "none" : `${stats.ino},${stats.size},${stats.birthtimeMs}`;
  } catch {
    return "none";
  }
}

function isKeptFile(value: unknown): value is KeptFile {
  if (!isObject(value) || value.version !== keptVersion) return false;
  const { files, catalogues, variables, lists } = value;
  if (!isObject(files) || !isObject(catalogues) || !isObject(variables)) return false;
  if (!isObject(lists) || typeof lists.ttlMs !== "number") return false;
  const { tools, servers, isPrivate } = lists;
  return (
    typeof isPrivate === "boolean" &&
    Array.isArray(servers) &&
    servers.every(isObject) &&
    Array.isArray(tools) &&
    tools.every((tool) => isObject(tool) && isListing(tool.listing))
  );
}

function isListing(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, description, inputSchema } = value;
  return typeof name === "string" && typeof description === "string" && isObject(inputSchema);
}
