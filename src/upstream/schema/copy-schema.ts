import { schemaCheckedTextCharsMax, schemaPatternCharsMax } from "../../base/upstream-limits.ts";
import {
  schemaDepthMax,
  schemaNamePatternsMax,
  schemaPartsMax,
} from "../../base/upstream-limits.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";

/** The most ways in which a tame pattern can match a text: those of two endless repetitions. */
const waysMax = schemaCheckedTextCharsMax ** 2;

/**
 * Whether a regular expression of an upstream server takes little time on any text: each choice, each optional part and
 * each repetition multiplies the ways that are tried, and without `^` so does each start position. Look-around and back
 * references are not tame. Other patterns are not used: the server checks its arguments itself.
 */
export function isTamePattern(pattern: string): boolean {
  if (pattern.length > schemaPatternCharsMax) return false;
  const plain = withoutClasses(pattern);
  if (/\(\?(?!:)|\\[1-9k]/.test(plain)) return false;
  const { ways, choices } = new WaysReader(plain).choice();
  const isAnchored = plain.startsWith("^") && choices === 1;
  const starts = isAnchored ? 1 : schemaCheckedTextCharsMax;
  return ways * starts <= waysMax && isValid(pattern);
}

/** Counts the ways of a pattern in which escapes and classes are single characters. */
class WaysReader {
  readonly #rest: readonly string[];
  #at = 0;

  constructor(plain: string) {
    this.#rest = plain.match(/\{\d+(?:,\d*)?\}|\((?:\?:)?|[^]/g) ?? [];
  }

  /** Reads up to the end of the group. */
  choice(): { readonly ways: number; readonly choices: number } {
    let ways = this.#sequence();
    let choices = 1;
    while (this.#rest[this.#at] === "|") {
      this.#at++;
      choices++;
      ways += this.#sequence();
    }
    return { ways, choices };
  }

  #sequence(): number {
    let ways = 1;
    for (let next = this.#rest[this.#at]; next !== undefined; next = this.#rest[this.#at]) {
      if (next === "|" || next === ")") break;
      this.#at++;
      ways *= repeated(next.startsWith("(") ? this.#group() : 1, this.#quantifier());
    }
    return ways;
  }

  #group(): number {
    const { ways } = this.choice();
    this.#at++;
    return ways;
  }

  #quantifier(): string {
    const next = this.#rest[this.#at] ?? "";
    if (!/^(?:[*+?]|\{\d.*)$/.test(next)) return "";
    this.#at++;
    if (this.#rest[this.#at] === "?") this.#at++;
    return next;
  }
}

function repeated(ways: number, quantifier: string): number {
  if (quantifier === "") return ways;
  if (quantifier === "?") return ways + 1;
  const [, from, comma, to] = /^\{(\d+)(,?)(\d*)\}$/.exec(quantifier) ?? [];
  const isEndless = from === undefined || (comma !== "" && to === "");
  // An ambiguous part is ambiguous in each repetition.
  if (isEndless) return ways === 1 ? schemaCheckedTextCharsMax : Infinity;
  const max = comma === "" ? Number(from) : Number(to);
  return ways ** max * (max - Number(from) + 1);
}

/** Replaces escapes and classes by one character each. */
function withoutClasses(pattern: string): string {
  return pattern.replaceAll(/\\(?![1-9k])[^]/g, "x").replaceAll(/\[[^\]]*\]/g, "x");
}

function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").unicode;
  } catch {
    return false;
  }
}

/** A schema with too many parts, or a check with too many steps. */
export class SchemaTooLarge extends Error {
  override readonly name = "SchemaTooLarge";
}

export interface CopyOptions {
  /** Called for each part of the schema that is checked against a value; ends the check when it throws. */
  readonly onStep: () => void;
  /** False leaves out keywords that are slow on long texts and lists. */
  readonly isThorough: boolean;
}

/**
 * Keywords that are copied unchanged. `format` forbids nothing, and `$id` would only move references, so both are left
 * out.
 */
const plainKeywords = new Set([
  "type",
  "enum",
  "const",
  "required",
  "dependentRequired",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
  "$anchor",
]);
const listKeywords = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const mapKeywords = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
const schemaKeywords = new Set([
  "items",
  "additionalItems",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
]);

/**
 * A copy of an upstream server's schema that is safe for a validator: only known keywords, references only into the
 * schema itself, tame patterns, and a count of the steps.
 * @throws SchemaTooLarge
 */
export function copySchema(schema: Params, options: CopyOptions): Params {
  const copy = new SchemaCopy(options).schema(schema, 0);
  return typeof schema.$schema === "string"
    ? Object.assign(copy, { $schema: schema.$schema })
    : copy;
}

class SchemaCopy {
  readonly #options: CopyOptions;
  #parts = 0;

  constructor(options: CopyOptions) {
    this.#options = options;
  }

  part(value: unknown, depth: number): unknown {
    return isObject(value) ? this.schema(value, depth) : value !== false;
  }

  schema(value: Params, depth: number): Params {
    this.#parts++;
    if (depth > schemaDepthMax || this.#parts > schemaPartsMax) {
      throw new SchemaTooLarge("The schema has too many parts, or is nested too deeply.");
    }
    const copy: Record<string, unknown> = {};
    for (const [keyword, content] of Object.entries(value)) {
      this.#copyKeyword(copy, keyword, content, depth + 1);
    }
    this.#copyCostly(copy, value, depth + 1);
    const ref =
      typeof value.$ref === "string" && value.$ref.startsWith("#") ? value.$ref : undefined;
    const { onStep } = this.#options;
    // The validator reads `$ref` once for each check of this part.
    Object.defineProperty(copy, "$ref", {
      get: () => {
        onStep();
        return ref;
      },
    });
    return copy;
  }

  #copyKeyword(
    copy: Record<string, unknown>,
    keyword: string,
    content: unknown,
    depth: number,
  ): void {
    if (plainKeywords.has(keyword)) copy[keyword] = content;
    else if (listKeywords.has(keyword) && Array.isArray(content))
      copy[keyword] = this.#list(content, depth);
    else if (mapKeywords.has(keyword) && isObject(content))
      copy[keyword] = this.#map(content, depth);
    else if (!schemaKeywords.has(keyword)) return;
    else if (Array.isArray(content)) copy[keyword] = this.#list(content, depth);
    else copy[keyword] = this.part(content, depth);
  }

  #copyCostly(copy: Record<string, unknown>, value: Params, depth: number): void {
    const { pattern, patternProperties, uniqueItems } = value;
    const { isThorough } = this.#options;
    if (isThorough && typeof pattern === "string" && isTamePattern(pattern)) copy.pattern = pattern;
    if (isThorough && uniqueItems === true) copy.uniqueItems = true;
    if (!isObject(patternProperties)) return;
    const patterns = Object.keys(patternProperties);
    const areFew = patterns.length <= schemaNamePatternsMax;
    if (isThorough && areFew && patterns.every(isTamePattern)) {
      copy.patternProperties = this.#map(patternProperties, depth);
      return;
    }
    // Without the patterns, additional properties cannot be recognized.
    delete copy.additionalProperties;
    delete copy.unevaluatedProperties;
  }

  #list(parts: readonly unknown[], depth: number): unknown[] {
    return parts.map((part) => this.part(part, depth));
  }

  #map(parts: Params, depth: number): Params {
    const entries = Object.entries(parts).map(
      ([name, part]) => [name, this.part(part, depth)] as const,
    );
    return Object.fromEntries(entries);
  }
}
