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

const fileLevels = ["global", "user", "project"] as const satisfies readonly ConfigLevel[];

/** Which file a command reads or writes. */
export const levelFlag: FlagTable = {
  level: {
    kind: "text",
    choices: fileLevels,
    help: "The file: ~/.scorpiox (global), ~/.claude (user) or .scorpiox of the project.",
  },
};

/** The same for keys that a project may not set. */
export const userLevelFlag: FlagTable = {
  level: {
    kind: "text",
    choices: ["global", "user"],
    help: "The file: ~/.scorpiox (global, the default) or ~/.claude (user).",
  },
};

/**
 * The file of a level; `global` is the default.
 * @throws {AppError} `usage` for `project` where there is none.
 */
export function fileOfLevel(level: string | undefined, dirs: ConfigDirs): EditTarget {
  if (level === "user") return { file: join(dirs.homeDir, ".claude", envFileName) };
  if (level !== "project") return { file: join(dirs.scorpioxDir, envFileName) };
  if (dirs.projectDir === undefined) {
    throw new AppError(
      "usage",
      "There is no project here: the home directory and the root directory are not projects. Use --level global.",
    );
  }
  return { file: join(dirs.projectDir, ".scorpiox", envFileName), insideDir: dirs.projectDir };
}

/** The values in one level's file, whether or not they are in effect. */
export function entriesOfLevel(level: string, dirs: ConfigDirs): ConfigEntry[] {
  const known = fileLevels.find((candidate) => candidate === level) ?? "global";
  return fileEntries(known, fileOfLevel(known, dirs).file);
}

/** Where a value came from, for people. */
export function sourceText(source: ConfigSource): string {
  if (source.variable !== undefined) return `${source.level}: ${source.variable}`;
  if (source.file === undefined) return source.level;
  const line = source.line === undefined ? "" : `:${source.line}`;
  return `${source.level}: ${source.file}${line}`;
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
