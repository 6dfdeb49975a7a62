import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

import { isInside, isNetworkPath, realPathOf } from "../../base/paths.ts";
import { parseEnvFile } from "../../config/env-file.ts";
import { mcpConfigKey, mcpFileKey, mcpServerKey } from "../../config/mcp-keys.ts";
import { isServerFile, configFolders, envFileName, profileFile } from "../../config/places.ts";
import { type FileOrigin, readOrigin } from "./read-server-file.ts";
import type { EntryOrigin } from "./server-entry.ts";
import { fixedSources, serverKeys, type UpstreamConfigParts } from "./upstream-start.ts";

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

const keysByName = new Map(serverKeys.map((key) => [key.name, key]));

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
  for (const { name } of serverKeys) {
    const variable = [`SCORPIOX_${name}`, name].find((candidate) => env[candidate]?.trim());
    const text = variable === undefined ? undefined : env[variable]?.trim();
    if (variable === undefined || text === undefined || !isValue(name, text)) continue;
    values.set(name, { text, variable });
  }
  return { origin: { rank: 3, trust: "user", scope: "environment" }, values };
}

/** The file that a path key means: `~/…`, absolute, or relative to the file that holds the key (CF7). */
function namedFile(value: KeyValue, holder: EntryOrigin, parts: UpstreamConfigParts): string {
  const { homeDir, projectDir } = parts.dirs;
  const { text } = value;
  if (text === "~" || text.startsWith("~/") || text.startsWith("~\\")) {
    return join(homeDir, text.slice(1));
  }
  if (isAbsolute(text)) return text;
  const base = holder.file === undefined ? (projectDir ?? homeDir) : dirname(holder.file);
  return resolve(base, text);
}

/** A source of servers: a file of them, or a value of `MCP_SERVER`. */
export type ServerSource =
  | { readonly kind: "file"; readonly origin: FileOrigin }
  | { readonly kind: "key"; readonly origin: EntryOrigin; readonly value: KeyValue };

/**
 * The nine sources (docs/mcp-servers.md#where-servers-come-from), weakest first; within a rank in the order of the
 * levels. With `--strict-config` only rank 9, even if it is empty (CF3).
 */
export function serverSources(
  parts: UpstreamConfigParts,
  levels: readonly KeyLevel[],
): readonly ServerSource[] {
  const commandLine = commandLineSources(parts);
  const fixed = fixedSources(
    parts,
    levels.some(({ values }) => values.has(mcpFileKey.name)),
  );
  return [
    ...fixed.map(fileSource),
    ...levels.flatMap((level) => levelSources(level, parts)),
    ...commandLine.map(fileSource),
  ]
    .filter(({ origin }) => !parts.isStrict || origin.rank === 9)
    .sort((a, b) => a.origin.rank - b.origin.rank);
}

function fileSource(origin: FileOrigin): ServerSource {
  return { kind: "file", origin };
}

/** A level's own servers are stronger than those of the files that it names. */
function levelSources(level: KeyLevel, parts: UpstreamConfigParts): readonly ServerSource[] {
  const value = level.values.get(mcpServerKey.name);
  const named = namedSources(level, parts).map(fileSource);
  return value === undefined ? named : [...named, { kind: "key", origin: level.origin, value }];
}

/** Files of servers that `--config` names (rank 9). */
function commandLineSources(parts: UpstreamConfigParts): readonly FileOrigin[] {
  return parts.configFiles
    .filter(isServerFile)
    .map((file): FileOrigin => ({ rank: 9, trust: "user", scope: "command-line", file }));
}

/** Files that `MCP_CONFIG` and `MCP_FILE` of a level name, with the rank of that level (CF7). */
function namedSources(level: KeyLevel, parts: UpstreamConfigParts): readonly FileOrigin[] {
  return [mcpConfigKey, mcpFileKey].flatMap(({ name }) => {
    const value = level.values.get(name);
    if (value === undefined) return [];
    const file = namedFile(value, level.origin, parts);
    // The user has not yet approved a request to another machine for it.
    if (level.origin.trust === "project" && isNetworkPath(file)) return [];
    const trust = isOfProject(file, parts) ? "project" : level.origin.trust;
    return [{ ...level.origin, trust, file }];
  });
}

/** Other people write the files in the project too, whichever source names them. */
function isOfProject(file: string, { dirs }: UpstreamConfigParts): boolean {
  if (dirs.projectDir === undefined) return false;
  const real = realPathOf(file);
  return (
    isInside(real, realPathOf(dirs.projectDir)) && !isInside(real, realPathOf(dirs.scorpioxDir))
  );
}
