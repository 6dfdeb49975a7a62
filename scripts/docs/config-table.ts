import { httpFlags, httpKeyOf, httpVariableOf } from "../../src/cli/http-flags.ts";
import { configKeys, skillSwitchKey } from "../../src/config/keys.ts";
import type { ConfigKey, ProjectPolicy } from "../../src/config/value-types.ts";
import { code, pageTable, prose } from "./markdown.ts";

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

const projectPolicies = {
  never: "no",
  narrow: "only to restrict",
  set: "yes",
} as const satisfies Record<ConfigKeyDescription["project"], string>;

/** The keys that have an effect. */
export function configTable(): string {
  const rows = describeConfigKeys().flatMap(asFamily).map(rowOf);
  return pageTable(
    ["key", "what it does", "value", "default", "may a project set it?", "environment"],
    rows,
  );
}

/** Keys that differ in one word have one row, where the first of them stands. */
const families: readonly {
  readonly first: RegExp;
  readonly rest: RegExp;
  readonly name: string;
  readonly help?: string;
}[] = [
  { first: /^TOOL_BASH$/, rest: /^TOOL_/, name: "TOOL_<NAME>" },
  { first: /^SKILL_NAME$/, rest: /^SKILL_/, name: "SKILL_<NAME>" },
  {
    first: /^WEBSEARCH_BASE_DUCKDUCKGO$/,
    rest: /^WEBSEARCH_BASE_/,
    name: "WEBSEARCH_BASE_<ENGINE>",
    help: "Where an engine is reached instead of its own address: a mirror, or a test server.",
  },
];

function asFamily(row: ConfigKeyDescription): ConfigKeyDescription[] {
  const family = families.find(({ rest }) => rest.test(row.key));
  if (family === undefined) return [row];
  if (!family.first.test(row.key)) return [];
  const variables = row.variables.map((variable) => variable.replace(row.key, family.name));
  return [{ ...row, key: family.name, help: family.help ?? row.help, variables }];
}

function rowOf(key: ConfigKeyDescription): string[] {
  const unit = key.unit === "" ? "" : ` (${key.unit})`;
  return [
    code(key.key),
    prose(key.help),
    prose(`${key.allowed}${unit}`),
    code(key.default),
    projectPolicies[key.project],
    key.variables.map(code).join(", "),
  ];
}

/** The settings of `serve --http`. */
export function httpTable(): string {
  const rows = Object.entries(httpFlags).map(([flag, { help, kind, isSwitchToo }]) => [
    code(httpKeyOf(flag)),
    code(`--${flag}`),
    code(httpVariableOf(flag)),
    isSwitchToo === true
      ? "true, false or a text"
      : { switch: "true or false", text: "a text", list: "a list of texts" }[kind],
    prose(help.replace(" May be repeated.", "")),
  ]);
  return pageTable(["key", "flag", "variable", "value", "what it does"], rows);
}
