import { join } from "node:path";

import type { Environment } from "../base/values.ts";
import { activeProfileKey, configKeys, skillSwitchKey } from "./keys.ts";
import { type ConfigDirs, configFolders, envFileName, isServerFile } from "./places.ts";
import { type ConfigProblem, ProblemList } from "./problems.ts";
import { applyFile, applyProfile, checkThere } from "./profiles.ts";
import { type ConfigEntry, Resolution } from "./resolution.ts";
import { createSettings, type Settings } from "./settings.ts";
import type { ConfigKey } from "./value-types.ts";

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

/**
 * Applies `SCORPIOX_<KEY>` variables, and the bare names of published keys where the value parses:
 * another program's TOOLS must not change this one. An empty variable is not set.
 */
function applyEnvironment(resolution: Resolution, env: Environment): void {
  // A hundred keys are not looked up twice each in an environment that has none of them.
  const names = namesIn(env);
  for (const key of configKeys.values()) if (names.has(key.name)) applyKey(resolution, key, env);
  for (const name of names) {
    // Every skill has a switch, so their names come from the environment.
    const key = name.startsWith("SKILL_") ? skillSwitchKey(name) : undefined;
    if (key !== undefined) applyKey(resolution, key, env);
  }
}

/** Any variable's name without the prefix; in capitals, since Windows does not tell them from small letters. */
function namesIn(env: Environment): ReadonlySet<string> {
  const names = new Set<string>();
  for (const variable in env) {
    const name = variable.toUpperCase();
    names.add(name.startsWith("SCORPIOX_") ? name.slice("SCORPIOX_".length) : name);
  }
  return names;
}

function applyKey(resolution: Resolution, key: ConfigKey, env: Environment): void {
  const prefixed = `SCORPIOX_${key.name}`;
  const own = env[prefixed];
  const bare = key.published ? env[key.name] : undefined;
  const isBareUsable = bare && key.type.parse(bare.trim(), resolution.homeDir) !== undefined;
  if (isBareUsable) applyVariable(resolution, key.name, key.name, bare);
  if (own) applyVariable(resolution, key.name, prefixed, own);
}

function applyVariable(resolution: Resolution, key: string, variable: string, value: string): void {
  const source = { level: "environment", variable } as const;
  resolution.apply({ key, value: value.trim(), source, fromProject: false });
}
