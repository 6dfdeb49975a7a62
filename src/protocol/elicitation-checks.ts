import { isObject } from "../base/values.ts";
import type { FormField, FormSchema } from "./input-request.ts";
import type { Params } from "./json-rpc.ts";

/**
 * The fault in a form's content, described without showing the content: it may be private. Undefined when it is valid.
 */
export function problemOfContent(schema: FormSchema, content: Params): string | undefined {
  for (const [name, field] of Object.entries(schema.properties)) {
    const problem = Object.hasOwn(content, name)
      ? problemOfValue(field, content[name])
      : problemOfAbsence(schema, name);
    if (problem !== undefined) return `\`${name}\` ${problem}`;
  }
  return undefined;
}

/** The content without empty fields: clients send them as null, or as an empty text where that does not fit. */
export function filledContent({ properties }: FormSchema, content: unknown): unknown {
  if (!isObject(content)) return content;
  const filled = Object.entries(content).filter(([name, value]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (value === null) return false;
    return field === undefined || value !== "" || problemOfValue(field, value) === undefined;
  });
  return Object.fromEntries(filled);
}

/** The content without fields that the form did not ask for: a client may add any. */
export function askedContent(schema: FormSchema, content: Params): Params {
  const names = Object.keys(schema.properties).filter((name) => Object.hasOwn(content, name));
  return Object.fromEntries(names.map((name) => [name, content[name]]));
}

function problemOfAbsence({ required }: FormSchema, name: string): string | undefined {
  return required?.includes(name) === true ? "is missing" : undefined;
}

function problemOfValue(field: FormField, value: unknown): string | undefined {
  const kind: FieldKind | undefined = fieldKindOf(field);
  switch (kind) {
    case "text":
      return typeof value === "string" ? problemOfText(field, value) : "must be a string";
    case "number":
      return typeof value === "number" ? problemOfNumber(field, value) : "must be a number";
    case "integer":
      return Number.isInteger(value) ? problemOfNumber(field, Number(value)) : "must be an integer";
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be a boolean";
    case "choice":
      return isChosen(choicesOf(field) ?? [], value) ? undefined : "must be one of its options";
    case "choices":
      return problemOfChoices(field, value);
    case undefined:
      return "has a type that forms do not support";
  }
}

/** Forms may not use `pattern`; a foreign expression could also run forever. */
function problemOfText(
  { minLength, maxLength, format }: FormField,
  text: string,
): string | undefined {
  const bounds = `between ${bound(minLength, "0")} and ${bound(maxLength, "any number of")} characters`;
  const isBounded = typeof minLength === "number" || typeof maxLength === "number";
  if (isBounded && !isWithin(characterCount(text), minLength, maxLength))
    return `must have ${bounds}`;
  return hasFormat(text, format) ? undefined : `must be in the format ${String(format)}`;
}

function problemOfNumber({ minimum, maximum }: FormField, value: number): string | undefined {
  if (isWithin(value, minimum, maximum)) return undefined;
  return `must be between ${bound(minimum, "anything")} and ${bound(maximum, "anything")}`;
}

function problemOfChoices(field: FormField, value: unknown): string | undefined {
  if (!Array.isArray(value)) return "must be an array";
  const { minItems, maxItems } = field;
  const choices = choicesOf(field) ?? [];
  // Before the items are looked at: there may be millions of them.
  if (value.length > choices.length) return "must hold each option once";
  if (!value.every((item) => isChosen(choices, item))) return "must hold only its options";
  if (new Set(value).size !== value.length) return "must hold each option once";
  if (isWithin(value.length, minItems, maxItems)) return undefined;
  return `must hold between ${bound(minItems, "0")} and ${bound(maxItems, "all")} options`;
}

function isChosen(choices: readonly Choice[], value: unknown): boolean {
  return choices.some((choice) => choice.value === value);
}

function isWithin(value: number, least: unknown, most: unknown): boolean {
  return (
    !(typeof least === "number" && value < least) && !(typeof most === "number" && value > most)
  );
}

function bound(limit: unknown, without: string): string {
  return typeof limit === "number" ? String(limit) : without;
}

/** Characters as JSON Schema counts them: a pair of surrogates is one. */
function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Whether a text has one of the formats that a form may ask for; an unknown format asks for nothing. */
function hasFormat(text: string, format: unknown): boolean {
  switch (format) {
    case "email":
      return /^[^\s@]+@[^\s@]+$/.test(text);
    case "uri":
      return URL.canParse(text);
    case "date":
      return isDate(text);
    case "date-time":
      return isDateTime(text);
    default:
      return true;
  }
}

/** `2026-02-28`, a day that there is. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** RFC 3339, with a zone; a leap second is one. */
function isDateTime(text: string): boolean {
  const [, date = "", hour, minute, second] =
    /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.exec(
      text,
    ) ?? [];
  return isDate(date) && Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60;
}

/** The kind of a form's field; `choice` is one of several, `choices` any number of them. */
type FieldKind = "text" | "number" | "integer" | "boolean" | "choice" | "choices";

/** One option of an enum. */
export interface Choice {
  readonly value: string;
  /** The text that the user sees; the value when it has no title. */
  readonly title: string;
}

/** Undefined for a field that no revision knows, such as a nested object (docs/spec/modern.md#questions). */
export function fieldKindOf(field: FormField): FieldKind | undefined {
  switch (field.type) {
    case "string":
      return choicesOf(field) === undefined ? "text" : "choice";
    case "number":
    case "integer":
    case "boolean":
      return field.type;
    case "array":
      return choicesOf(field) === undefined ? undefined : "choices";
    default:
      return undefined;
  }
}

/**
 * The options of an enum in any of its forms: `enum`, with `enumNames`, or titled by `oneOf` or `anyOf`;
 * in `items` where several may be chosen. Undefined for a field without options.
 */
export function choicesOf(field: FormField): readonly Choice[] | undefined {
  const options = field.type === "array" ? field.items : field;
  if (!isObject(options)) return undefined;
  const { oneOf, anyOf } = options;
  if (Array.isArray(options.enum)) return namedChoices(options.enum, options.enumNames);
  if (Array.isArray(oneOf)) return titledChoices(oneOf);
  return Array.isArray(anyOf) ? titledChoices(anyOf) : undefined;
}

function namedChoices(values: readonly unknown[], names: unknown): readonly Choice[] {
  const titles: readonly unknown[] = Array.isArray(names) ? names : [];
  return values.flatMap((value, index) => choice(value, titles[index]));
}

function titledChoices(options: readonly unknown[]): readonly Choice[] {
  return options.flatMap((option) => (isObject(option) ? choice(option.const, option.title) : []));
}

function choice(value: unknown, title: unknown): readonly Choice[] {
  if (typeof value !== "string") return [];
  return [{ value, title: typeof title === "string" ? title : value }];
}
