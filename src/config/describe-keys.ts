import { configKeys } from "./keys.ts";
import type { ProjectPolicy } from "./keys.ts";

/** A key as documentation shows it. */
export interface ConfigKeyDescription {
  readonly key: string;
  readonly type: string;
  /** What a value must be, as it completes "must be". */
  readonly allowed: string;
  /** Empty when there is none. */
  readonly default: string;
  /** Empty when there is none. */
  readonly unit: string;
  readonly help: string;
  readonly project: ProjectPolicy;
  /** Environment variables that set it, strongest first. */
  readonly variables: readonly string[];
}

/** Every key that has an effect, in the order of `config list`: the README table is made from this. */
export function describeConfigKeys(): ConfigKeyDescription[] {
  return [...configKeys.values()].map((key) => ({
    key: key.name,
    type: key.type.name,
    allowed: key.type.allowed,
    default: key.default === undefined ? "" : String(key.default),
    unit: key.unit ?? "",
    help: key.help,
    project: key.project,
    variables: [`SCORPIOX_${key.name}`, ...(key.published ? [key.name] : [])],
  }));
}
