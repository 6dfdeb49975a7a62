import type { ObjectSchema, ToolListing } from "../../src/protocol/tool-types.ts";
import { loadTools } from "../../src/tools/catalogue.ts";
import { toolCard } from "../../src/tools/tool-card.ts";
import { code, pageTable, prose } from "./markdown.ts";

/** The tools as `tools/list` sends them: name, what it does, parameters. */
export async function toolTable(): Promise<string> {
  const rows = (await loadTools()).map((tool) => rowOf(toolCard(tool).listing));
  return pageTable(["tool", "what it does", "parameters"], rows);
}

function rowOf({ name, description, inputSchema }: ToolListing): string[] {
  // What follows a blank line, such as the list of skills, is for models.
  const [sentence = ""] = description.split("\n\n", 1);
  return [code(name), prose(sentence), parametersOf(inputSchema)];
}

function parametersOf({ properties, required }: ObjectSchema): string {
  const names = Object.entries(asRecord(properties));
  if (names.length === 0) return "none";
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  return names
    .map(([name, schema]) => parameterText(name, asRecord(schema), isRequired(name)))
    .join("<br>");
}

function parameterText(
  name: string,
  schema: Readonly<Record<string, unknown>>,
  isRequired: boolean,
): string {
  const { type, minimum, maximum } = schema;
  const description = String(schema.description);
  const isDefaultSaid = schema.default === undefined || description.includes("default");
  const facts = [
    String(type),
    isRequired ? "required" : "optional",
    ...(isDefaultSaid ? [] : [`default ${JSON.stringify(schema.default)}`]),
    ...(typeof minimum === "number" && typeof maximum === "number"
      ? [`${minimum} to ${maximum}`]
      : []),
  ];
  return `${code(name)} (${facts.join(", ")}): ${prose(description)}`;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
