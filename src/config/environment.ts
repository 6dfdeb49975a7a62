import { configKeys } from "./keys.ts";
import type { Resolution } from "./resolution.ts";
import { skillSwitchKey } from "./skill-keys.ts";
import type { ConfigKey } from "./value-types.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Applies `SCORPIOX_<KEY>` variables, and the bare names of published keys where the value parses:
 * another program's TOOLS must not change this one. An empty variable is not set.
 */
export function applyEnvironment(resolution: Resolution, env: Environment): void {
  for (const key of configKeys.values()) applyKey(resolution, key, env);
  for (const key of skillSwitchesIn(env)) applyKey(resolution, key, env);
}

/** Every skill has a switch, so their names come from the environment. */
function skillSwitchesIn(env: Environment): readonly ConfigKey[] {
  const names = new Set<string>();
  for (const variable in env) {
    const name = variable.startsWith("SCORPIOX_") ? variable.slice("SCORPIOX_".length) : variable;
    if (name.startsWith("SKILL_")) names.add(name);
  }
  return [...names].flatMap((name) => skillSwitchKey(name) ?? []);
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
