import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { hasSchemas } from "../e2e/harness/schemas.ts";
import { exampleChecks, withoutCodec } from "./example-checks.ts";

const schemas =
  process.env["MCP_SCHEMA_DIR"] ?? join(import.meta.dir, "../../../shared/protocol/schema");
const folder = join(schemas, "2026-07-28/examples");
const isThere = hasSchemas && existsSync(folder);
const types = isThere ? readdirSync(folder).sort() : [];

const examples = types.flatMap((type) =>
  readdirSync(join(folder, type)).map((name): [string, string] => [type, name]),
);

describe.skipIf(!isThere)("the specification's own examples", () => {
  test("each type has a check, or is named as one that nothing of ours reads or writes", () => {
    const checked = [...Object.keys(exampleChecks), ...withoutCodec].sort();
    expect(checked).toEqual(types);
    expect(examples.length).toBe(129);
  });

  test.each(examples.filter(([type]) => type in exampleChecks))("%s: %s", (type, name) => {
    const example = JSON.parse(readFileSync(join(folder, type, name), "utf8")) as unknown;
    const [ours, expected] = exampleChecks[type]?.(example) ?? [undefined, undefined];
    expect(ours).toEqual(expected);
  });
});
