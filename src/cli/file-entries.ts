import { AppError } from "../base/errors.ts";
import { parseEnvFile } from "../config/env-file.ts";
import { findConfigKey } from "../config/keys.ts";
import { readTextFile } from "../config/read-text-file.ts";
import type { ConfigEntry } from "../config/resolution.ts";
import type { ConfigLevel } from "../config/places.ts";

/**
 * The entries of one file, whether or not they are in effect; of duplicates the last.
 * @throws {AppError} `config` for a file that cannot be used.
 */
export function fileEntries(level: ConfigLevel, file: string): ConfigEntry[] {
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
