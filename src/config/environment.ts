import { configKeys } from "./keys.ts";
import type { Resolution } from "./resolution.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Applies `SCORPIOX_<KEY>` variables, and the bare names of published keys where the value parses:
 * another program's TOOLS must not be ours. An empty variable is one that is not set.
 */
export function applyEnvironment(resolution: Resolution, env: Environment): void {
  // By known name only: walking the whole environment costs more than everything else in here.
  for (const key of configKeys.values()) {
    const prefixed = `SCORPIOX_${key.name}`;
    const own = env[prefixed];
    const bare = key.published ? env[key.name] : undefined;
    const isBareUsable = bare && key.type.parse(bare.trim(), resolution.homeDir) !== undefined;
    if (isBareUsable) applyVariable(resolution, key.name, key.name, bare);
    if (own) applyVariable(resolution, key.name, prefixed, own);
  }
}

function applyVariable(resolution: Resolution, key: string, variable: string, value: string): void {
  const source = { level: "environment", variable } as const;
  resolution.apply({ key, value: value.trim(), source, fromProject: false });
}
