import type { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";

import {
  schemaCheckedCharsMax,
  schemaCheckedItemsMax,
  schemaCheckedTextCharsMax,
  schemaCheckMsMax,
  schemaFaultsShownMax,
  schemaStepsMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { copySchema, SchemaTooLarge } from "./copy-schema.ts";

type Validate = ReturnType<CfWorkerJsonSchemaValidator["getValidator"]>;

/** Undefined: values are not checked against this schema. */
interface Checkers {
  readonly thorough: Validate | undefined;
  readonly quick: Validate | undefined;
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

  #run({ quick, thorough }: Checkers, value: unknown): string | undefined {
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
    const checkers = { thorough: compile(true), quick: compile(false) };
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
