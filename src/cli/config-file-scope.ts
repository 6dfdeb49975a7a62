import { join } from "node:path";

import { AppError } from "../base/errors.ts";
import { parseEnvFile } from "../config/env-file.ts";
import { findConfigKey } from "../config/keys.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { type ConfigDirs, type ConfigLevel, envFileName } from "../config/places.ts";
import { readTextFile } from "../config/read-text-file.ts";
import type { EditTarget } from "../config/replace-file.ts";
import type { ConfigEntry, ConfigSource } from "../config/resolution.ts";
import type { FlagTable } from "./flags.ts";
import type { Printer } from "./command-io.ts";

/**
 * The entries of one file, whether or not they are in effect; of duplicates the last.
 * @throws {AppError} `config` for a file that cannot be used.
 */
function fileEntries(level: ConfigLevel, file: string): ConfigEntry[] {
  const content = readTextFile(file);
  if (content.kind === "absent") return [];
  if (content.kind === "unusable") throw new AppError("config", `${file} ${content.reason}.`);
  const entries = new Map<string, ConfigEntry>();
  for (const { key, value, line } of parseEnvFile(content.text).entries) {
    const use = findConfigKey(key) === undefined ? "unknown" : "used";
    entries.set(key, { key, value, source: { level, file, line }, use });
  }
  return [...entries.values()];
}

/** The words of `--scope` for the files of keys, and how entries name their level. */
const levels = {
  user: "scorpiox",
  claude: "claude",
  project: "project",
} as const satisfies Readonly<Record<string, ConfigLevel>>;

/** `--level` was the name of `--scope`; its `user` was the file in ~/.claude. */
const oldNames = { level: { global: "user", user: "claude" } } as const;

/** Which file a command reads or writes. */
export const keyScopeFlag: FlagTable = {
  scope: {
    kind: "text",
    short: "s",
    choices: Object.keys(levels),
    oldChoices: { global: "user", local: "project" },
    oldNames,
    help: "The file: your own in ~/.scorpiox (user), the one in ~/.claude (claude), or the project's in .scorpiox (project).",
  },
};

/** The flag `--scope` for keys that a project may not set. */
export const userScopeFlag: FlagTable = {
  scope: {
    kind: "text",
    short: "s",
    choices: ["user", "claude"],
    oldChoices: { global: "user" },
    oldNames,
    help: "The file: your own in ~/.scorpiox (user, the default) or the one in ~/.claude (claude).",
  },
};

/**
 * The file of a scope; `user` is the default.
 * @throws {AppError} `usage` for `project` where there is none.
 */
export function fileOfScope(scope: string | undefined, dirs: ConfigDirs): EditTarget {
  if (scope === "claude") return { file: join(dirs.homeDir, ".claude", envFileName) };
  if (scope !== "project") return { file: join(dirs.scorpioxDir, envFileName) };
  if (dirs.projectDir === undefined) {
    throw new AppError(
      "usage",
      "There is no project here: the home directory and the root directory are not projects. Use --scope user.",
    );
  }
  return { file: join(dirs.projectDir, ".scorpiox", envFileName), insideDir: dirs.projectDir };
}

/** The values in one scope's file, whether or not they are in effect. */
export function entriesOfScope(scope: string, dirs: ConfigDirs): ConfigEntry[] {
  const level = scope === "claude" || scope === "project" ? levels[scope] : levels.user;
  return fileEntries(level, fileOfScope(scope, dirs).file);
}

/** Where a value came from, for people. */
export function sourceText(source: ConfigSource): string {
  const scope = scopeOf(source.level);
  if (source.variable !== undefined) return `${scope}: ${source.variable}`;
  if (source.file === undefined) return scope;
  const line = source.line === undefined ? "" : `:${source.line}`;
  return `${scope}: ${source.file}${line}`;
}

/** The word of `--scope` for a level; a level without one is its own word. */
function scopeOf(level: ConfigLevel): string {
  return Object.entries(levels).find(([, known]) => known === level)?.[0] ?? level;
}

/** The words of `--json`, which programs read: they are older than those of `--scope`. */
const jsonLevels: Partial<Record<ConfigLevel, string>> = { scorpiox: "global", claude: "user" };

/** A level as `--json` has it. */
export function jsonLevel(level: ConfigLevel): string {
  return jsonLevels[level] ?? level;
}

/** An entry as `--json` has it. */
export function jsonEntry(entry: ConfigEntry): object {
  const { source } = entry;
  return { ...entry, source: { ...source, level: jsonLevel(source.level) } };
}

/** Warns when `key` was written to `file` but another place overrides it. */
export function noteStrongerSource(
  key: string,
  file: string,
  config: LoadedConfig,
  print: Printer,
): void {
  const entry = config.entries().find((candidate) => candidate.key === key);
  if (entry === undefined || entry.source.level === "default" || entry.source.file === file) return;
  print.note(
    `${key}=${entry.value} from another place overrides it here (${sourceText(entry.source)})`,
  );
}
