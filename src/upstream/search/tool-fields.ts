import { oneLine } from "../../base/cut-text.ts";
import {
  searchedArgumentsMax,
  searchedDescriptionCharsMax,
  searchedSchemaDepthMax,
  searchedTextCharsMax,
  toolSummaryCharsMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";
import type { SearchedTool } from "../snapshot.ts";
import { termsOf } from "./words.ts";

/** The searched parts of a tool, with the weight of a word in each (DF10). */
export const fieldWeights = {
  name: 4,
  title: 3,
  server: 2,
  description: 1.5,
  argumentNames: 1,
  argumentTexts: 0.5,
} as const;

export type Field = keyof typeof fieldWeights;

export const fields: readonly Field[] = Object.keys(fieldWeights).filter(isField);

function isField(name: string): name is Field {
  return Object.hasOwn(fieldWeights, name);
}

/** The terms of each field of a tool, in the order of `fields`. */
export function fieldTerms({
  server,
  tool,
  listing,
}: SearchedTool): readonly (readonly string[])[] {
  const { names, texts } = argumentsOf(listing.inputSchema);
  const title = listing.title ?? listing.annotations?.title ?? "";
  // Descriptions begin with the purpose of a tool; later parts are often general rules.
  const description = listing.description.slice(0, searchedDescriptionCharsMax);
  return [tool, title, server, description, names, texts].map((text) =>
    termsOf(text.slice(0, searchedTextCharsMax)),
  );
}

/** Names of the arguments of a tool, the outermost only. */
export function argumentNames(schema: unknown): readonly string[] {
  if (!isObject(schema) || !isObject(schema["properties"])) return [];
  return Object.keys(schema["properties"]);
}

interface ArgumentTexts {
  names: string;
  texts: string;
}

/** Names and descriptions of all arguments, including nested ones, as two texts. */
function argumentsOf(schema: unknown): ArgumentTexts {
  const found: ArgumentTexts = { names: "", texts: "" };
  collect(schema, found, { depth: 0, left: searchedArgumentsMax });
  return found;
}

/** Collects with bounds on number and depth, since a schema may be huge and deep. */
function collect(schema: unknown, found: ArgumentTexts, at: { depth: number; left: number }): void {
  if (!isObject(schema) || at.depth > searchedSchemaDepthMax) return;
  const { properties, items } = schema;
  at.depth++;
  if (isObject(properties)) {
    for (const name of Object.keys(properties)) {
      if (at.left-- <= 0) break;
      const property = properties[name];
      found.names += ` ${name.slice(0, 100)}`;
      if (isObject(property)) found.texts += ` ${textsOf(property)}`;
      collect(property, found, at);
    }
  }
  if (items !== undefined) collect(items, found, at);
  at.depth--;
}

/** An argument's description and its allowed values. */
function textsOf({ description, enum: values }: Readonly<Record<string, unknown>>): string {
  const text = typeof description === "string" ? description.slice(0, 500) : "";
  if (!Array.isArray(values)) return text;
  const names = values.slice(0, 20).filter((value) => typeof value === "string");
  return `${text} ${names.join(" ").slice(0, 300)}`;
}

/** The purpose of a tool in one line: the first sentence of its description, else its title. */
export function summaryOf({
  description,
  title,
}: Pick<ToolListing, "description" | "title">): string {
  // Only the begin of a long description is needed.
  const text = description.slice(0, 4 * toolSummaryCharsMax).trim();
  const sentence = /^.+?[.!?。](?=\s|$)/su.exec(text)?.[0] ?? text.split(/\n\s*\n/)[0] ?? "";
  return oneLine(sentence === "" ? (title ?? "") : sentence, toolSummaryCharsMax);
}
