import { type ConfigKeyDescription, describeConfigKeys } from "../../src/config/describe-keys.ts";
import { code, pageTable, prose } from "./markdown.ts";

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
