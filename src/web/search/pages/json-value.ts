import { isHeavyJson } from "../../../base/weight.ts";

/** Reading of JSON that nobody promises: each function gives nothing where the shape is another one. */

/** More than any API lists when it is asked for ten; each entry costs parsing. */
const entriesMax = 200;

export type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * Undefined when the text is not JSON, or has too many values. Bare control characters in strings, which Baidu sends,
 * become spaces.
 */
export function parseJson(written: string): unknown {
  // A byte order mark is white space here, but not to the parser.
  const text = written.trim();
  if (isHeavyJson(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    try {
      // eslint-disable-next-line no-control-regex -- these are what JSON forbids
      return JSON.parse(text.replaceAll(/[\u0000-\u001f]/g, " "));
    } catch {
      return undefined;
    }
  }
}

export function recordOf(value: unknown): JsonRecord | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonRecord)
    : undefined;
}

/** The value at a path of names. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const name of path) {
    const record = recordOf(here);
    here = record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
  }
  return here;
}

/** The list at a path of names, the first 200 of it. */
export function listAt(value: unknown, ...path: readonly string[]): unknown[] | undefined {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.slice(0, entriesMax) : undefined;
}

/** Texts and numbers as text; all else is empty. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  if (typeof found === "string") return found;
  return typeof found === "number" ? String(found) : "";
}

/** Finite numbers, also when they are written as text. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const text = textAt(value, ...path);
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}
