import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

import { isServerFile } from "../../config/config-file-kind.ts";
import { parseEnvFile } from "../../config/env-file.ts";
import {
  mcpAllowKey,
  mcpConfigKey,
  mcpDenyKey,
  mcpFileKey,
  mcpServerKey,
} from "../../config/mcp-keys.ts";
import { configFolders, envFileName, profileFile } from "../../config/places.ts";
import type { EntryOrigin } from "./server-entry.ts";
import { readOrigin } from "./read-origin.ts";
import type { UpstreamConfigParts } from "./upstream-config-parts.ts";

/** One value of a key that names servers or their tools. */
export interface KeyValue {
  readonly text: string;
  readonly line?: number;
  /** The environment variable. */
  readonly variable?: string;
}

/** The server keys of one level of the cascade: levels keep their different trust, so each is read for itself. */
export interface KeyLevel {
  readonly origin: EntryOrigin;
  readonly values: ReadonlyMap<string, KeyValue>;
}

const keys = [mcpServerKey, mcpConfigKey, mcpFileKey, mcpAllowKey, mcpDenyKey];
const keysByName = new Map(keys.map((key) => [key.name, key]));

/** Where the levels lie, weakest first, without the environment. Files that are not there are named too. */
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
  // The strongest file of a profile counts, but a project's takes nothing from the user's.
  const profiles = [false, true].flatMap((isProject) => {
    const files = folders
      .filter((folder) => folder.isProject === isProject)
      .map((folder) => profileFile(folder, profile));
    const file = files.findLast((candidate) => existsSync(candidate)) ?? files.at(-1);
    return file === undefined ? [] : [ofFolder(isProject, file)];
  });
  return [...levels, ...profiles, ...commandLine];
}

/** The server keys of every level, the environment's included (docs/mcp-servers.md#where-servers-come-from, rank 3), weakest first within each rank. */
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
  // What is wrong with the file is told by whoever reads its other keys.
  if (content.kind !== "text") return values;
  for (const { key, value, line } of parseEnvFile(content.text).entries) {
    if (!keysByName.has(key)) continue;
    if (value === "" || !isValue(key, value)) values.delete(key);
    else values.set(key, { text: value, line });
  }
  return values;
}

/** What is no value of the key is told of by whoever reads the other keys. */
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
