import { configKeys, skillSwitchKey } from "./keys.ts";
import type { ConfigKey, ProjectPolicy } from "./value-types.ts";

/** A key as documentation shows it. */
export interface ConfigKeyDescription {
  readonly key: string;
  readonly type: string;
  /** The valid values, as they complete "must be". */
  readonly allowed: string;
  /** Empty if it has none. */
  readonly default: string;
  /** Empty if it has none. */
  readonly unit: string;
  readonly help: string;
  readonly project: ProjectPolicy;
  /** Environment variables that set it, strongest first. */
  readonly variables: readonly string[];
}

/** Every key that has an effect, in the order of `config list`; then one row for the switches of all skills. */
export function describeConfigKeys(): ConfigKeyDescription[] {
  const anySkill = skillSwitchKey(anySkillKeyName);
  return [...configKeys.values(), ...(anySkill === undefined ? [] : [anySkill])].map(describe);
}

/** Stands for the switch of each skill. */
const anySkillKeyName = "SKILL_NAME";

function describe(key: ConfigKey): ConfigKeyDescription {
  return {
    key: key.name,
    type: key.type.name,
    allowed: key.type.allowed,
    default: key.default === undefined ? "" : String(key.default),
    unit: key.unit ?? "",
    help: key.help,
    project: key.project,
    variables: [`SCORPIOX_${key.name}`, ...(key.published ? [key.name] : [])],
  };
}
