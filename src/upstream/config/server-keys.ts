import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

import { parseEnvFile } from "../../config/env-file.ts";
import {
  mcpAllowKey,
  mcpConfigKey,
  mcpDenyKey,
  mcpFileKey,
  mcpServerKey,
} from "../../config/mcp-keys.ts";
import { configFolders, envFileName, isServerFile, profileFile } from "../../config/places.ts";
import { readOrigin } from "./read-server-file.ts";
import type { EntryOrigin } from "./server-entry.ts";
import type { UpstreamConfigParts } from "./upstream-start.ts";

/** One value of a key that names servers or their tools. */
export interface KeyValue {
  readonly text: string;
  readonly line?: number;
  /** The environment variable. */
  readonly variable?: string;
}

/** The server keys of one level of the cascade. Levels differ in trust, so each is read separately. */
export interface KeyLevel {
  readonly origin: EntryOrigin;
  readonly values: ReadonlyMap<string, KeyValue>;
}

const keys = [mcpServerKey, mcpConfigKey, mcpFileKey, mcpAllowKey, mcpDenyKey];
const keysByName = new Map(keys.map((key) => [key.name, key]));

/** The files of the levels, weakest first, without the environment. Includes files that do not exist. */
export function keyFiles(
  parts: UpstreamConfigParts,
  profile: string | undefined,
): readonly EntryOrigin[] {
  const commandLine = parts.configFiles
    .filter((file) => !isServerFile(file))
    .map((file): EntryOrigin => ({ rank: 9, trust: "user", scope: "command-line", file }));
  const folders = configFolders(parts.dirs).map(({ level, dir }) => ({
    isProject: level === "project",
    dir,
    level,
  }));
  const ofFolder = (isProject: boolean, file: string): EntryOrigin =>
    isProject
      ? { rank: 6, trust: "project", scope: "project", file }
      : { rank: 3, trust: "user", scope: "user", file };
  const levels = folders.map(({ isProject, dir }) => ofFolder(isProject, join(dir, envFileName)));
  if (profile === undefined) return [...levels, ...commandLine];
  // The strongest file of a profile is used, but a project's replaces nothing of the user's.
  const profiles = [false, true].flatMap((isProject) => {
    const files = folders
      .filter((folder) => folder.isProject === isProject)
      .map((folder) => profileFile(folder, profile));
    const file = files.findLast((candidate) => existsSync(candidate)) ?? files.at(-1);
    return file === undefined ? [] : [ofFolder(isProject, file)];
  });
  return [...levels, ...profiles, ...commandLine];
}

/**
 * Reads the server keys of every level, the environment's included (docs/mcp-servers.md#where-servers-come-from, rank
 * 3), weakest first within each rank.
 */
export function readKeyLevels(
  parts: UpstreamConfigParts,
  files: readonly EntryOrigin[],
): readonly KeyLevel[] {
  const levels = files.map((origin) => ({ origin, values: valuesOfFile(origin) }));
  return [...levels, environmentLevel(parts)].filter(({ values }) => values.size > 0);
}

function valuesOfFile(origin: EntryOrigin): ReadonlyMap<string, KeyValue> {
  const content = readOrigin(origin);
  const values = new Map<string, KeyValue>();
  // The reader of the other keys reports the faults of the file.
  if (content.kind !== "text") return values;
  for (const { key, value, line } of parseEnvFile(content.text).entries) {
    if (!keysByName.has(key)) continue;
    if (value === "" || !isValue(key, value)) values.delete(key);
    else values.set(key, { text: value, line });
  }
  return values;
}

/** False for an invalid value, which the reader of the other keys reports. */
function isValue(key: string, text: string): boolean {
  return keysByName.get(key)?.type.parse(text, "") !== undefined;
}

function environmentLevel({ env }: UpstreamConfigParts): KeyLevel {
  const values = new Map<string, KeyValue>();
  for (const { name } of keys) {
    const variable = [`SCORPIOX_${name}`, name].find((candidate) => env[candidate]?.trim());
    const text = variable === undefined ? undefined : env[variable]?.trim();
    if (variable === undefined || text === undefined || !isValue(name, text)) continue;
    values.set(name, { text, variable });
  }
  return { origin: { rank: 3, trust: "user", scope: "environment" }, values };
}

/** The file that a path key means: `~/…`, absolute, or relative to the file that holds the key (CF7). */
export function namedFile(
  value: KeyValue,
  holder: EntryOrigin,
  parts: UpstreamConfigParts,
): string {
  const { homeDir, projectDir } = parts.dirs;
  const { text } = value;
  if (text === "~" || text.startsWith("~/") || text.startsWith("~\\")) {
    return join(homeDir, text.slice(1));
  }
  if (isAbsolute(text)) return text;
  const base = holder.file === undefined ? (projectDir ?? homeDir) : dirname(holder.file);
  return resolve(base, text);
}

/** One entry of `MCP_SERVER`, read by the grammar alone. */
type ListedServer =
  | {
      readonly kind: "stdio";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
    }
  | { readonly kind: "http"; readonly name: string; readonly url: string }
  | { readonly kind: "fault"; readonly name: string; readonly text: string };

/** A character, and whether a backslash before it makes it a literal. */
interface Mark {
  readonly character: string;
  readonly isLiteral: boolean;
}

/**
 * Reads `name:command:arg1,arg2;name2:https://…` (CF6). `\;` `\:` `\,` `\\` are literals; a backslash before any other
 * character is a plain backslash. The colon of a drive letter is not a separator. Never throws.
 */
export function parseServerList(text: string): readonly ListedServer[] {
  return split(marksOf(text), ";")
    .filter((entry) => textOf(entry).trim() !== "")
    .map(parseEntry);
}

function marksOf(text: string): readonly Mark[] {
  const marks: Mark[] = [];
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    const next = text[index + 1] ?? "";
    const isEscape = character === "\\" && next !== "" && ";:,\\".includes(next);
    if (isEscape) index++;
    marks.push({ character: isEscape ? next : character, isLiteral: isEscape });
  }
  return marks;
}

function parseEntry(entry: readonly Mark[]): ListedServer {
  const nameEnd = entry.findIndex((mark) => isPlain(mark, ":"));
  const name = textOf(nameEnd === -1 ? entry : entry.slice(0, nameEnd)).trim();
  if (nameEnd === -1) {
    return { kind: "fault", name, text: "has no command; write name:command:arg1,arg2" };
  }
  const rest = entry.slice(nameEnd + 1);
  const restText = textOf(rest).trim();
  if (/^https?:\/\//i.test(restText)) return { kind: "http", name, url: restText };
  const commandEnd = commandBorder(rest);
  const command = textOf(rest.slice(0, commandEnd)).trim();
  if (command === "") return { kind: "fault", name, text: "has an empty command" };
  const args = rest.slice(commandEnd + 1);
  return { kind: "stdio", name, command, args: argsOf(args) };
}

function argsOf(marks: readonly Mark[]): readonly string[] {
  if (textOf(marks).trim() === "") return [];
  return split(marks, ",").map((arg) => textOf(arg).trim());
}

/**
 * The index of the `:` after the command, or the end. The colon of `C:\\` or `C:/` at its beginning is not a separator.
 */
function commandBorder(marks: readonly Mark[]): number {
  const isDriveColon = (index: number): boolean => {
    const after = marks[index + 1]?.character;
    const before = textOf(marks.slice(0, index)).trimStart();
    return (after === "\\" || after === "/") && /^[A-Za-z]$/.test(before);
  };
  const border = marks.findIndex((mark, index) => isPlain(mark, ":") && !isDriveColon(index));
  return border === -1 ? marks.length : border;
}

function split(marks: readonly Mark[], border: string): readonly (readonly Mark[])[] {
  const parts: Mark[][] = [[]];
  for (const mark of marks) {
    if (isPlain(mark, border)) parts.push([]);
    else parts.at(-1)?.push(mark);
  }
  return parts;
}

function isPlain(mark: Mark | undefined, character: string): boolean {
  return mark !== undefined && !mark.isLiteral && mark.character === character;
}

function textOf(marks: readonly Mark[]): string {
  return marks.map(({ character }) => character).join("");
}
