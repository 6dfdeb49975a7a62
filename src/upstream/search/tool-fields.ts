import { oneLine } from "../../base/cut-text.ts";
import {
  searchedArgumentsMax,
  searchedDescriptionCharsMax,
  searchedSchemaDepthMax,
  searchedTextCharsMax,
  toolSummaryCharsMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";
import { termsOf } from "./words.ts";

/** A callable tool of another server, as a search looks at it. */
export interface SearchedTool {
  readonly server: string;
  /** Its name there. */
  readonly tool: string;
  /** With its name here, cleaned: what a client is shown. */
  readonly listing: ToolListing;
}

/** The parts of a tool in which words are looked for, and what a word in them is worth (DF10). */
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
  // What a tool is for is said at the beginning; what follows are often rules for everything.
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

/** Names and descriptions of the arguments, nested ones included, as two texts. */
function argumentsOf(schema: unknown): ArgumentTexts {
  const found: ArgumentTexts = { names: "", texts: "" };
  collect(schema, found, { depth: 0, left: searchedArgumentsMax });
  return found;
}

/** A schema may be huge and may be deep: so many arguments, so deep. */
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

/** What an argument says of itself, and the values that it may have. */
function textsOf({ description, enum: values }: Readonly<Record<string, unknown>>): string {
  const text = typeof description === "string" ? description.slice(0, 500) : "";
  if (!Array.isArray(values)) return text;
  const names = values.slice(0, 20).filter((value) => typeof value === "string");
  return `${text} ${names.join(" ").slice(0, 300)}`;
}

/** What a tool does, on one line: the first sentence of its description, else its title. */
export function summaryOf({
  description,
  title,
}: Pick<ToolListing, "description" | "title">): string {
  // Long descriptions are read as far as a line can go, and a bit on.
  const text = description.slice(0, 4 * toolSummaryCharsMax).trim();
  const sentence = /^.+?[.!?。](?=\s|$)/su.exec(text)?.[0] ?? text.split(/\n\s*\n/)[0] ?? "";
  return oneLine(sentence === "" ? (title ?? "") : sentence, toolSummaryCharsMax);
}
