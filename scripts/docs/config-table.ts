import { type ConfigKeyDescription, describeConfigKeys } from "../../src/config/describe-keys.ts";
import { toolKeyName } from "../../src/config/keys.ts";
import { catalogue } from "../../src/tools/catalogue.ts";
import { code, markdownTable, prose } from "./markdown.ts";

const projectPolicies = {
  never: "no",
  narrow: "only switch off",
  set: "yes",
} as const satisfies Record<ConfigKeyDescription["project"], string>;

/** The keys that have an effect; the switches of tools that are not built are left out. */
export function configTable(): string {
  const builtTools = new Set(catalogue.map((tool) => toolKeyName(tool.name)));
  const rows = describeConfigKeys()
    .filter(({ key }) => !key.startsWith("TOOL_") || builtTools.has(key))
    .map(rowOf);
  return markdownTable(
    ["key", "what it does", "value", "default", "may a project set it?", "environment"],
    rows,
  );
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
