import type { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import {
  schemaCheckedCharsMax,
  schemaCheckedItemsMax,
  schemaCheckedTextCharsMax,
  schemaCheckMsMax,
  schemaFaultsShownMax,
  schemaStepsMax,
  schemaDepthMax,
  schemaNamePatternsMax,
  schemaPartsMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { type FlatTest, flatTest } from "./flat-schema.ts";
import {
  definitionKeywords,
  hasUse,
  ignoresBesideReference,
  listKeywords,
  mapKeywords,
  plainKeywords,
  schemaKeywords,
  uncheckedKeywords,
  unfollowedKeywords,
} from "./schema-keywords.ts";
import { isTamePattern } from "./tame-pattern.ts";

type Validate = ReturnType<CfWorkerJsonSchemaValidator["getValidator"]>;

/** Undefined: values are not checked against this schema. */
interface Checkers {
  readonly thorough: Validate | undefined;
  readonly quick: Validate | undefined;
  readonly flat: FlatTest | undefined;
}

/**
 * Checks values against the schemas of upstream servers, JSON Schema 2020-12 unless they name another dialect, in
 * bounded time (CA1). A schema that is too large, of an unknown dialect or otherwise unusable accepts everything: its
 * server checks the arguments itself.
 */
export class SchemaChecks {
  readonly #checkers = new WeakMap<Params, Checkers>();
  #validator: Promise<CfWorkerJsonSchemaValidator> | undefined;
  #steps = 0;
  #endsAt = 0;

  /**
   * The faults of `value`, one line each, or undefined; at once for a schema that was used before. Never rejects because
   * of the schema.
   */
  check(schema: Params, value: unknown): string | undefined | Promise<string | undefined> {
    const checkers = this.#checkers.get(schema);
    if (checkers !== undefined) return this.#run(checkers, value);
    return this.#load().then((validator) => this.#run(this.#prepare(schema, validator), value));
  }

  #run({ quick, thorough, flat }: Checkers, value: unknown): string | undefined {
    if (flat?.(value) === true) return undefined;
    const validate = isLong(value) ? quick : thorough;
    if (validate === undefined) return undefined;
    this.#begin(schemaCheckMsMax);
    try {
      const outcome = validate(value);
      return outcome.valid ? undefined : shorten(outcome.errorMessage);
    } catch {
      // Too many steps, too deep, or a reference to nowhere.
      return undefined;
    }
  }

  #prepare(schema: Params, validator: CfWorkerJsonSchemaValidator): Checkers {
    const compile = (isThorough: boolean): Validate | undefined => {
      // The size of a schema is bounded already, and this result is kept for all checks.
      this.#begin(Infinity);
      try {
        return validator.getValidator(
          copySchema(schema, { onStep: () => this.#step(), isThorough }),
        );
      } catch {
        return undefined;
      }
    };
    const flat = flatTest(schema);
    const checkers = { thorough: compile(true), quick: compile(false), flat };
    this.#checkers.set(schema, checkers);
    return checkers;
  }

  #begin(msMax: number): void {
    this.#steps = 0;
    this.#endsAt = performance.now() + msMax;
  }

  #step(): void {
    this.#steps++;
    if (this.#steps > schemaStepsMax || performance.now() > this.#endsAt)
      throw new SchemaTooLarge("The check takes too long.");
  }

  /** Loaded with the first check: most starts never make one. */
  async #load(): Promise<CfWorkerJsonSchemaValidator> {
    this.#validator ??= import("@modelcontextprotocol/client/validators/cf-worker").then(
      (module) => new module.CfWorkerJsonSchemaValidator({ shortcircuit: false }),
    );
    return this.#validator;
  }
}

/** Whether it has texts or lists that are too long for patterns and pairwise comparisons. */
function isLong(value: unknown): boolean {
  const waiting: unknown[] = [value];
  let chars = 0;
  const isLongText = (text: string): boolean => {
    chars += text.length;
    return text.length > schemaCheckedTextCharsMax || chars > schemaCheckedCharsMax;
  };
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string" && isLongText(next)) return true;
    if (Array.isArray(next)) {
      if (next.length > schemaCheckedItemsMax) return true;
      waiting.push(...next);
    } else if (isObject(next)) {
      const names = Object.keys(next);
      if (names.length > schemaCheckedItemsMax || names.some(isLongText)) return true;
      waiting.push(...Object.values(next));
    }
  }
  return false;
}

/**
 * The validator's message for a person: `path.to[0]: fault`. Lines that only point to a fault further down are left
 * out.
 */
function shorten(message: string): string {
  const faults = message
    .split("; #")
    .map((fault) => fault.replace(/^#/, ""))
    .filter(
      (fault) =>
        !/: (A subschema had errors\.|Instance does not match every subschema\.|Property "[^]*" does not match (?:(?:additional|unevaluated) properties |pattern )?schema\.|Items did not match schema\.)$/.test(
          fault,
        ),
    )
    .map(readable);
  const distinct = [...new Set(faults)];
  const shown = distinct.slice(0, schemaFaultsShownMax);
  const more = distinct.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

function readable(fault: string): string {
  const [, pointer = "", what = fault] = /^([^:]*): ([^]*)$/.exec(fault) ?? [];
  const path = pointer
    .split("/")
    .slice(1)
    .map((step) => decoded(step).replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");
  const text = what
    .replace(/^Instance type "(\w+)" is invalid\. Expected "([^]*)"\.$/, "must be $2, and is $1")
    .replace(/^Instance does not have required property "([^]*)"\.$/, '"$1" is missing')
    .replace(/^Instance does not match any of (\[[^]*\])\.$/, "must be one of $1")
    .replace(/^False boolean schema\.$/, "is not known")
    .slice(0, 300);
  return path === "" ? text : `${path}: ${text}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A schema with too many parts, or a check with too many steps. */
class SchemaTooLarge extends Error {
  override readonly name = "SchemaTooLarge";
}

interface CopyOptions {
  /** Called for each part of the schema that is checked against a value; ends the check when it throws. */
  readonly onStep: () => void;
  /** False leaves out keywords that are slow on long texts and lists. */
  readonly isThorough: boolean;
}

/** Whether a copy leaves out parts of its schema. */
interface Losses {
  /** Parts that might forbid a value. */
  readonly checks: boolean;
  /** Parts that also tell which members and items are known (`unevaluatedProperties`). */
  readonly members: boolean;
}

/**
 * A copy of an upstream server's schema that is safe for a validator: only known keywords, references only into the
 * schema itself, tame patterns, and a count of the steps. The copy accepts whatever the schema accepts: what is left out
 * below `not`, `if`, `oneOf` and the like takes these with it.
 * @throws SchemaTooLarge
 */
function copySchema(schema: Params, options: CopyOptions): Params {
  let known: Losses = { checks: false, members: false };
  for (;;) {
    const copier = new SchemaCopy(options, known, ignoresBesideReference(schema));
    const copy = copier.schema(schema, 0);
    const { losses } = copier;
    // A reference may lead to a part that lost something, which is known only now, and is lost with it: a copy loses no
    // less than the one before, so the third is the last.
    if (losses.checks !== known.checks || losses.members !== known.members) known = losses;
    else if (typeof schema.$schema !== "string") return copy;
    else return Object.assign(copy, { $schema: schema.$schema });
  }
}

class SchemaCopy {
  readonly #options: CopyOptions;
  /** The losses of the parts that references lead to. */
  readonly #ofReferences: Losses;
  readonly #ignoresBesideReference: boolean;
  #parts = 0;
  /** How many schemas with a name of their own (`$id`) this part is in: references inside start there. */
  #embeddings = 0;
  #checksLost = 0;
  #membersLost = 0;

  constructor(options: CopyOptions, ofReferences: Losses, ignoresBeside: boolean) {
    this.#options = options;
    this.#ofReferences = ofReferences;
    this.#ignoresBesideReference = ignoresBeside;
  }

  get losses(): Losses {
    return { checks: this.#checksLost > 0, members: this.#membersLost > 0 };
  }

  schema(value: Params, depth: number): Params {
    this.#parts++;
    if (depth > schemaDepthMax || this.#parts > schemaPartsMax) {
      throw new SchemaTooLarge("The schema has too many parts, or is nested too deeply.");
    }
    const copy: Record<string, unknown> = {};
    const membersLost = this.#membersLost;
    const isEmbedded = depth > 0 && typeof value.$id === "string";
    if (isEmbedded) this.#embeddings++;
    for (const [keyword, content] of Object.entries(value)) {
      this.#copyKeyword(copy, keyword, content, depth + 1);
    }
    this.#copyDelicate(copy, value, depth + 1);
    this.#copyPatterns(copy, value, depth + 1);
    this.#copyReference(copy, value.$ref);
    // References from elsewhere would find it by its short name.
    if (this.#embeddings > 0) delete copy.$anchor;
    if (isEmbedded) this.#embeddings--;
    if (this.#membersLost > membersLost) {
      delete copy.unevaluatedProperties;
      delete copy.unevaluatedItems;
    }
    return copy;
  }

  #part(value: unknown, depth: number): unknown {
    return isObject(value) ? this.schema(value, depth) : value !== false;
  }

  #copyKeyword(
    copy: Record<string, unknown>,
    keyword: string,
    content: unknown,
    depth: number,
  ): void {
    if (plainKeywords.has(keyword) && hasUse(keyword, content)) copy[keyword] = content;
    else if (plainKeywords.has(keyword) || uncheckedKeywords.has(keyword)) this.#checksLost++;
    else if (unfollowedKeywords.has(keyword)) this.#loseMembers();
    else if (listKeywords.has(keyword) && Array.isArray(content))
      copy[keyword] = this.#list(content, depth);
    else if (mapKeywords.has(keyword) && isObject(content))
      copy[keyword] = this.#map(content, depth);
    else if (!schemaKeywords.has(keyword)) return;
    else if (Array.isArray(content)) copy[keyword] = this.#list(content, depth);
    else copy[keyword] = this.#part(content, depth);
  }

  /** Keywords that forbid more when a part below them forbids less. */
  #copyDelicate(copy: Record<string, unknown>, value: Params, depth: number): void {
    const { oneOf, contains } = value;
    const checksLost = this.#checksLost;
    if (contains !== undefined) {
      copy.contains = this.#part(contains, depth);
      if (this.#checksLost > checksLost) delete copy.maxContains;
    }
    if (Array.isArray(oneOf)) {
      const { isWhole, copied } = this.#whole(() => this.#list(oneOf, depth));
      if (isWhole) copy.oneOf = copied;
      else if (copy.anyOf === undefined) copy.anyOf = copied;
      else copy.allOf = [...(Array.isArray(copy.allOf) ? copy.allOf : []), { anyOf: copied }];
    }
    for (const keyword of ["not", "if"] as const) {
      const part = value[keyword];
      if (part === undefined) continue;
      const { isWhole, copied } = this.#whole(() => this.#part(part, depth));
      if (isWhole) copy[keyword] = copied;
      // The members that it knows are lost with it.
      else this.#membersLost++;
    }
  }

  /** The copy, and whether nothing was left out of it. */
  #whole<Copied>(copy: () => Copied): { readonly isWhole: boolean; readonly copied: Copied } {
    const checksLost = this.#checksLost;
    const copied = copy();
    return { isWhole: this.#checksLost === checksLost, copied };
  }

  #copyPatterns(copy: Record<string, unknown>, value: Params, depth: number): void {
    const { pattern, patternProperties, uniqueItems } = value;
    const { isThorough } = this.#options;
    if (typeof pattern === "string") {
      if (isThorough && isTamePattern(pattern)) copy.pattern = pattern;
      else this.#checksLost++;
    }
    if (uniqueItems === true) {
      if (isThorough) copy.uniqueItems = true;
      else this.#checksLost++;
    }
    if (!isObject(patternProperties)) return;
    const patterns = Object.keys(patternProperties);
    const areFew = patterns.length <= schemaNamePatternsMax;
    if (isThorough && areFew && patterns.every(isTamePattern)) {
      copy.patternProperties = this.#map(patternProperties, depth);
      return;
    }
    // Without the patterns, additional properties cannot be recognized.
    delete copy.additionalProperties;
    this.#loseMembers();
  }

  #copyReference(copy: Record<string, unknown>, value: unknown): void {
    const isInside = typeof value === "string" && value.startsWith("#") && this.#embeddings === 0;
    const ref = isInside ? value : undefined;
    if (isInside) {
      if (this.#ofReferences.checks) this.#checksLost++;
      if (this.#ofReferences.members) this.#membersLost++;
    } else if (value !== undefined) {
      this.#loseMembers();
      if (this.#ignoresBesideReference) keepDefinitions(copy);
    }
    const { onStep } = this.#options;
    // The validator reads `$ref` once for each check of this part.
    Object.defineProperty(copy, "$ref", {
      get: () => {
        onStep();
        return ref;
      },
    });
  }

  #loseMembers(): void {
    this.#checksLost++;
    this.#membersLost++;
  }

  #list(parts: readonly unknown[], depth: number): unknown[] {
    return parts.map((part) => this.#part(part, depth));
  }

  #map(parts: Params, depth: number): Params {
    const entries = Object.entries(parts).map(
      ([name, part]) => [name, this.#part(part, depth)] as const,
    );
    return Object.fromEntries(entries);
  }
}

/** Removes whatever would check a value. */
function keepDefinitions(copy: Record<string, unknown>): void {
  for (const keyword of Object.keys(copy)) {
    if (!definitionKeywords.has(keyword)) delete copy[keyword];
  }
}
