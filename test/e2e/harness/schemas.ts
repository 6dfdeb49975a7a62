import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { JsonSchemaValidator } from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";

import { root } from "./binary.ts";

/** Where the specification's schemas are, a folder for each revision; they are not part of this repository. */
const folder = process.env["MCP_SCHEMA_DIR"] ?? join(root, "../shared/protocol/schema");

export const hasSchemas = existsSync(join(folder, "2025-11-25/schema.json"));

/** Tells what is wrong with a value, for the type `name` of a revision's schema; undefined when nothing is. */
export class SchemaOf {
  readonly #schema: Record<string, unknown>;
  readonly #definitions: string;
  readonly #id: string;
  /** One for all types, which share what they are made of. */
  readonly #compiler = new AjvJsonSchemaValidator();
  /** Making one takes longer than using it a thousand times. */
  readonly #validators = new Map<string, JsonSchemaValidator<unknown>>();

  /** @param version a revision, or `ext-tasks` for the extension */
  constructor(version: string) {
    const text = readFileSync(join(folder, version, "schema.json"), "utf8");
    this.#schema = JSON.parse(text) as Record<string, unknown>;
    this.#definitions = "$defs" in this.#schema ? "$defs" : "definitions";
    this.#id = `urn:mcp:${version}`;
    this.#compiler.getValidator({ ...this.#schema, $id: this.#id });
  }

  has(name: string): boolean {
    return name in (this.#schema[this.#definitions] as object);
  }

  faultIn(name: string, value: unknown): string | undefined {
    const validator = this.#validators.get(name) ?? this.#compile(name);
    const result = validator(value);
    return result.valid ? undefined : `${name}: ${result.errorMessage}`;
  }

  #compile(name: string): JsonSchemaValidator<unknown> {
    const $ref = `${this.#id}#/${this.#definitions}/${name}`;
    // It says by which draft its parts are compiled.
    const $schema = String(this.#schema["$schema"]);
    const validator = this.#compiler.getValidator({ $schema, $ref });
    this.#validators.set(name, validator);
    return validator;
  }
}

const known = new Map<string, SchemaOf>();

/** The schema of a revision, or of `ext-tasks`; read once. */
export function schemaOf(version: string): SchemaOf {
  const schema = known.get(version) ?? new SchemaOf(version);
  known.set(version, schema);
  return schema;
}
