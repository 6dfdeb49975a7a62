import { choicesTextCharsMax } from "../base/limits.ts";
import { isObject } from "../base/values.ts";
import { type Choice, choicesOf, fieldKindOf } from "./elicitation-checks.ts";
import {
  type FormElicitation,
  type FormField,
  type FormSchema,
  type InputRequest,
  type InputRequests,
  type UrlElicitation,
} from "./input-request.ts";
import { isContentBlock } from "./input-response-checks.ts";
import type { Params } from "./json-rpc.ts";
import { isAtLeast, isModernVersion, type ProtocolVersion } from "./message.ts";
import { modernResultMeta, shapeContent } from "./result-codec.ts";

/** A request to the client, as one revision writes it. */
export interface ShapedInputRequest {
  readonly method: InputRequest["method"];
  readonly params?: Params;
}

/** All requests of an `InputRequiredResult` or an MCP task, under their keys (docs/spec/modern.md#questions, docs/spec/modern.md#mcp-tasks). */
export function shapeInputRequests(
  requests: InputRequests,
  version: ProtocolVersion,
): Readonly<Record<string, ShapedInputRequest>> {
  const entries = Object.entries(requests);
  return Object.fromEntries(entries.map(([key, each]) => [key, shapeInputRequest(each, version)]));
}

/** `InputRequiredResult` as JSON text (docs/spec/modern.md#questions). Without cache hints: it is of this request alone. */
export function encodeInputRequired(
  { requests, requestState }: { readonly requests: InputRequests; readonly requestState: string },
  version: ProtocolVersion,
): string {
  if (!isModernVersion(version)) throw new Error(`${version} has no input_required`);
  return JSON.stringify({
    resultType: "input_required",
    inputRequests: shapeInputRequests(requests, version),
    requestState,
    _meta: modernResultMeta,
  });
}

/** Leaves out or converts parts that the revision does not know (SH8). */
export function shapeInputRequest(
  request: InputRequest,
  version: ProtocolVersion,
): ShapedInputRequest {
  switch (request.method) {
    case "roots/list":
      return { method: request.method };
    case "sampling/createMessage":
      return { method: request.method, params: shapeSampling(request.params, version) };
    case "elicitation/create":
      return { method: request.method, params: shapeElicitation(request, version) };
  }
}

/** Modern clients have no `elicitationId`: the round itself tells them that it is over. */
function shapeElicitation(
  { params }: FormElicitation | UrlElicitation,
  version: ProtocolVersion,
): Params {
  const { message } = params;
  if (params.mode === "url") {
    const { mode, url, elicitationId } = params;
    return isModernVersion(version)
      ? { mode, message, url }
      : { mode, message, url, elicitationId };
  }
  const { requestedSchema } = params;
  return isAtLeast(version, "2025-11-25")
    ? { mode: "form", message, requestedSchema }
    : { message, requestedSchema: downgradeForm(requestedSchema) };
}

/**
 * The form as 2025-06-18 has it (SH8): titles of options in `enumNames`, no defaults
 * but those of booleans, and a text to be filled in where several options may be chosen.
 */
function downgradeForm({ properties, required }: FormSchema): FormSchema {
  const fields = Object.entries(properties).map(([name, field]) => [name, downgradeField(field)]);
  const form = { type: "object" as const, properties: Object.fromEntries(fields) };
  return required === undefined ? form : { ...form, required };
}

/** Turns the texts that represent several options back into arrays; everything else stays as it came. */
export function upgradeContent({ properties }: FormSchema, content: unknown): unknown {
  if (!isObject(content)) return content;
  const entries = Object.entries(content).flatMap(([name, value]): readonly Entry[] => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field === undefined || fieldKindOf(field) !== "choices") return [[name, value]];
    // A longer text stays a text, which is then refused.
    const isText = typeof value === "string" && value.length <= choicesTextCharsMax;
    return isText ? chosenEntry(name, field, value) : [[name, value]];
  });
  return Object.fromEntries(entries);
}

type Entry = readonly [name: string, value: unknown];

function downgradeField(field: FormField): FormField {
  const { default: _, ...rest } = field;
  switch (fieldKindOf(field)) {
    case "boolean":
      return field;
    case "choice":
      return flatEnum(field);
    case "choices":
      return textOfChoices(field);
    case "text":
    case "number":
    case "integer":
    case undefined:
      return rest;
  }
}

function flatEnum(field: FormField): FormField {
  const { default: _, oneOf, anyOf, ...rest } = field;
  const choices = choicesOf(field) ?? [];
  const values = { ...rest, enum: choices.map(({ value }) => value) };
  const hasTitles = oneOf !== undefined || anyOf !== undefined;
  return hasTitles ? { ...values, enumNames: choices.map(({ title }) => title) } : values;
}

function textOfChoices(field: FormField): FormField {
  const { title, description } = field;
  const asked = typeof description === "string" ? `${description} ` : "";
  return {
    type: "string",
    ...(typeof title === "string" ? { title } : {}),
    description: asked + instruction(field),
  };
}

function instruction(field: FormField): string {
  const choices = choicesOf(field) ?? [];
  const separator = separatorOf(choices);
  const options = choices.map(({ value, title }) =>
    title === value ? value : `${value} (${title})`,
  );
  const sign = separatorNames[separator];
  return `Any of the following${countRule(field)}, with ${sign} between them: ${options.join(`${separator} `)}`;
}

function countRule({ minItems, maxItems }: FormField): string {
  const least = typeof minItems === "number" && minItems > 0 ? `at least ${minItems}` : "";
  const most = typeof maxItems === "number" ? `at most ${maxItems}` : "";
  const rule = [least, most].filter((part) => part !== "").join(" and ");
  return rule === "" ? "" : ` (${rule})`;
}

type Separator = "," | ";" | "|" | "/" | "+" | "&";

const separatorNames: Readonly<Record<Separator, string>> = {
  ",": "commas",
  ";": "semicolons",
  "|": "vertical bars",
  "/": "slashes",
  "+": "plus signs",
  "&": "ampersands",
};

const separators: readonly Separator[] = [",", ";", "|", "/", "+", "&"];

/** The first that is part of no option. Where all are, commas; an option that has one cannot be chosen then. */
function separatorOf(choices: readonly Choice[]): Separator {
  const text = choices.map(({ value, title }) => value + title).join("");
  return separators.find((separator) => !text.includes(separator)) ?? ",";
}

/** An empty choice where none is required is not an answer to the field. */
function chosenEntry(name: string, field: FormField, text: string): readonly Entry[] {
  const choices = choicesOf(field) ?? [];
  const parts = text.split(separatorOf(choices)).map((part) => part.trim());
  const chosen = parts.filter((part) => part !== "").map((part) => valueOf(choices, part));
  return chosen.length === 0 && Number(field.minItems) > 0 ? [] : [[name, [...new Set(chosen)]]];
}

/** People write the value or the title, in any case; other text stays, and is refused by the check. */
function valueOf(choices: readonly Choice[], written: string): string {
  const wanted = written.toLowerCase();
  const found =
    choices.find(({ value }) => value === written) ??
    choices.find(({ value }) => value.toLowerCase() === wanted) ??
    choices.find(({ title }) => title.toLowerCase() === wanted);
  return found?.value ?? written;
}

/**
 * The parameters of `sampling/createMessage` as a revision has them (docs/spec/legacy.md#revisions). One message holds
 * one block before 2025-11-25; from then on `includeContext` needs a declaration of its own and is left out,
 * which means `none`. `task` belongs to a feature that is offered to nobody (docs/spec/legacy.md#tasks).
 */
function shapeSampling(params: Params, version: ProtocolVersion): Params {
  const { task: _, includeContext, messages, ...rest } = params;
  const isRecent = isAtLeast(version, "2025-11-25");
  const context = isRecent || includeContext === undefined ? {} : { includeContext };
  if (isRecent || !Array.isArray(messages)) return { ...rest, ...context, messages };
  const shaped = messages.flatMap((message: unknown) => shapeMessage(message, version));
  return { ...rest, ...context, messages: shaped };
}

function shapeMessage(message: unknown, version: ProtocolVersion): readonly unknown[] {
  if (!isObject(message)) return [message];
  const { role, content } = message;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.map((block) => ({ role, content: shapeBlock(block, version) }));
}

function shapeBlock(block: unknown, version: ProtocolVersion): unknown {
  return isContentBlock(block) ? shapeContent(block, version) : block;
}
