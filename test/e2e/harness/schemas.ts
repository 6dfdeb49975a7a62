import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";

import { root } from "./binary.ts";

/** Where the specification's schemas are, a folder for each revision; they are not part of this repository. */
const folder = process.env["MCP_SCHEMA_DIR"] ?? join(root, "../shared/protocol/schema");

export const hasSchemas = existsSync(join(folder, "2025-11-25/schema.json"));

/** Tells what is wrong with a value, for the type `name` of a revision's schema; undefined when nothing is. */
export class SchemaOf {
  readonly #schema: Record<string, unknown>;
  readonly #definitions: string;

  constructor(version: string) {
    const text = readFileSync(join(folder, version, "schema.json"), "utf8");
    this.#schema = JSON.parse(text) as Record<string, unknown>;
    this.#definitions = "$defs" in this.#schema ? "$defs" : "definitions";
  }

  has(name: string): boolean {
    return name in (this.#schema[this.#definitions] as object);
  }

  faultIn(name: string, value: unknown): string | undefined {
    const schema = { ...this.#schema, $ref: `#/${this.#definitions}/${name}` };
    const result = new AjvJsonSchemaValidator().getValidator(schema)(value);
    return result.valid ? undefined : `${name}: ${result.errorMessage}`;
  }
}
