import type { FormField } from "./input-request.ts";
import { isObject } from "./json-rpc.ts";

/** The kind of a form's field; `choice` is one of several, `choices` any number of them. */
export type FieldKind = "text" | "number" | "integer" | "boolean" | "choice" | "choices";

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
