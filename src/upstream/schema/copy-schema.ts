import { schemaCheckedTextCharsMax, schemaPatternCharsMax } from "../../base/upstream-limits.ts";
import {
  schemaDepthMax,
  schemaNamePatternsMax,
  schemaPartsMax,
} from "../../base/upstream-limits.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";

/** Ways in which a tame pattern can be held against a text: what two endless repetitions have. */
const waysMax = schemaCheckedTextCharsMax ** 2;

/**
 * Whether a regular expression of another server takes little time on any text that is held against it: each choice, each
 * optional part and each repetition multiplies the ways that are tried, and without `^` so does each place to begin at.
 * No look-around, no back reference. What is not tame is not used: the server checks its arguments itself.
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

  /** Up to the end of the group. */
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
  // What can be read in two ways can be so each time.
  if (isEndless) return ways === 1 ? schemaCheckedTextCharsMax : Infinity;
  const max = comma === "" ? Number(from) : Number(to);
  return ways ** max * (max - Number(from) + 1);
}

/** Escapes and classes stand for one character. */
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

/** A schema that is more than is looked at, or a check that takes too many steps. */
export class SchemaTooLarge extends Error {
  override readonly name = "SchemaTooLarge";
}

export interface CopyOptions {
  /** Called for each part of the schema that is held against a value; what it throws ends the check. */
  readonly onStep: () => void;
  /** False: without what takes long on long texts and lists. */
  readonly isThorough: boolean;
}

/** Taken over as they are. `format` says something and forbids nothing; `$id` would only move references. */
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
 * A copy of another server's schema that a validator may safely work with: only keywords that are known, references
 * only into the schema itself, tame patterns, and a count of the steps.
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
      throw new SchemaTooLarge("The schema has too many parts, or too deep ones.");
    }
    const copy: Record<string, unknown> = {};
    for (const [keyword, content] of Object.entries(value)) {
      this.#copyKeyword(copy, keyword, content, depth + 1);
    }
    this.#copyCostly(copy, value, depth + 1);
    const ref =
      typeof value.$ref === "string" && value.$ref.startsWith("#") ? value.$ref : undefined;
    const { onStep } = this.#options;
    // The validator reads it once for each look at this part.
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
    // Without the patterns nobody knows which properties are additional.
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
