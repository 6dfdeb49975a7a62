import { join } from "node:path";

import { applyFile, checkThere } from "./apply-file.ts";
import { isServerFile } from "./config-file-kind.ts";
import { applyEnvironment } from "./environment.ts";
import type { Environment } from "./environment.ts";
import { activeProfileKey } from "./keys.ts";
import { configFolders, envFileName } from "./places.ts";
import type { ConfigDirs } from "./places.ts";
import { ProblemList } from "./problems.ts";
import type { ConfigProblem } from "./problems.ts";
import { applyProfile } from "./profiles.ts";
import { Resolution } from "./resolution.ts";
import type { ConfigEntry } from "./resolution.ts";
import { createSettings } from "./settings.ts";
import type { Settings } from "./settings.ts";

export interface LoadConfigInput extends ConfigDirs {
  readonly env: Environment;
  /** Keys that command-line flags set; they override everything else. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Absolute paths from `--config`, weakest first. Files of MCP servers are only checked for existence. */
  readonly configFiles?: readonly string[];
}

export interface LoadedConfig {
  readonly settings: Settings;
  /** Every key that has a value, with where it came from; unused keys of the files come last. */
  entries(): readonly ConfigEntry[];
  /** The strictest values, used because the configured ones are invalid. */
  standIns(): readonly ConfigEntry[];
  readonly problems: readonly ConfigProblem[];
}

/**
 * Reads the cascade, weakest level first: defaults, beside the executable, `~/.claude`, `~/.scorpiox`,
 * `<project>/.claude`, `<project>/.scorpiox`, `--config` files, profile, environment, flags.
 *
 * Never throws: an invalid value is a problem, and the next weaker value is used. Runs before the first reply of the server, so
 * a start without files is a dozen system calls and little else.
 */
export function loadConfig(input: LoadConfigInput): LoadedConfig {
  const resolution = new Resolution(input.homeDir, new ProblemList());
  const folders = configFolders(input);
  for (const { level, dir } of folders) {
    applyFile(resolution, {
      level,
      file: join(dir, envFileName),
      fromProject: level === "project",
    });
  }
  for (const file of input.configFiles ?? []) {
    const source = { level: "config-file", file, fromProject: false, required: true } as const;
    if (isServerFile(file)) checkThere(resolution, source);
    else applyFile(resolution, source);
  }
  const profile = chosenProfile(input, resolution);
  if (profile) applyProfile(resolution, folders, profile);
  applyEnvironment(resolution, input.env);
  for (const [key, value] of Object.entries(input.flags ?? {})) {
    resolution.apply({ key, value, source: { level: "flag" }, fromProject: false });
  }
  return {
    settings: createSettings(resolution),
    entries: () => resolution.entries(),
    standIns: () => resolution.standIns(),
    problems: resolution.problems.all,
  };
}

/** A profile is weaker than environment and flags, but these may choose it, so they are read first. */
function chosenProfile(input: LoadConfigInput, resolution: Resolution): string | undefined {
  const texts = [
    input.flags?.[activeProfileKey.name],
    input.env[`SCORPIOX_${activeProfileKey.name}`] || undefined,
  ];
  for (const text of texts) {
    const name = text === undefined ? undefined : activeProfileKey.type.parse(text.trim(), "");
    if (name !== undefined) return name;
  }
  return resolution.valueOf(activeProfileKey);
}
