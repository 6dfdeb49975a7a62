import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { legacyVersions, modernVersions } from "../../src/protocol/message.ts";
import { encodeToolsListResult } from "../../src/protocol/result-codec.ts";
import { catalogue } from "../../src/tools/catalogue.ts";
import { catalogueCards } from "../../src/tools/catalogue-cards.macro.ts";
import { published } from "./published-tools.ts";

interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
}

const goldenFolder = join(import.meta.dir, "../golden/tools");
const listings = catalogueCards().map((card) => card.listing);
const names = listings.map(({ name }) => name);
const fieldsOf = (schema: Readonly<Record<string, unknown>>): [string, FieldSchema][] =>
  Object.entries((schema["properties"] ?? {}) as Record<string, FieldSchema>);

describe("catalogue", () => {
  test("the published tools are all there, in the published order", () => {
    const order = published.map(([name]) => name);
    expect(names.filter((name) => order.includes(name))).toEqual(order);
  });

  test("tools that run commands or open files that a call names are known, for servers of several people", () => {
    const touching = catalogueCards().filter(({ touchesFiles }) => touchesFiles);
    const order = published.map(([name]) => name);
    const known = touching
      .map(({ listing }) => listing.name)
      .filter((name) => order.includes(name));
    expect(known.sort()).toEqual([
      "BackgroundBash",
      "Bash",
      "InvokeSkill",
      "PlanMode",
      "ReadImage",
    ]);
  });

  test("all listings together cost a model at most 4,000 tokens of 4 characters, in every revision", () => {
    for (const version of [...legacyVersions, ...modernVersions]) {
      const { tools } = JSON.parse(encodeToolsListResult(listings, version)) as {
        tools: { name: string; description: string; inputSchema: unknown }[];
      };
      // Clients show a model these three, and neither output schemas nor hints.
      const shown = tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema,
      }));
      expect(JSON.stringify(shown).length / 4).toBeLessThanOrEqual(4_000);
    }
  });
});

test.each(published)(
  "%s has the parameters of the published contract, their types and which are required",
  (name, expected) => {
    const schema = listings.find((listing) => listing.name === name)?.inputSchema;
    const required = (schema?.["required"] ?? []) as string[];
    const parameters = fieldsOf(schema ?? {}).map(([field, { type }]) => [
      field,
      `${type}${required.includes(field) ? "*" : ""}`,
    ]);
    expect(Object.fromEntries(parameters)).toEqual(expected);
  },
);

describe.each(listings)("$name", (listing) => {
  const { name, title, description, inputSchema, outputSchema, annotations } = listing;

  test("is listed as its golden file says (UPDATE_GOLDEN=1 writes it)", () => {
    const path = join(goldenFolder, `${name}.json`);
    if (process.env["UPDATE_GOLDEN"] === "1") {
      mkdirSync(goldenFolder, { recursive: true });
      writeFileSync(path, `${JSON.stringify(listing, null, 2)}\n`);
    }
    expect(existsSync(path)).toBe(true);
    const golden: unknown = JSON.parse(readFileSync(path, "utf8"));
    expect(listing).toEqual(golden as typeof listing);
    // The order of keys is part of what is sent; the layout of the file is the formatter's.
    expect(JSON.stringify(listing)).toBe(JSON.stringify(golden));
  });

  test("has a plain object as the root of its schemas, which refuses unknown properties", () => {
    for (const schema of [inputSchema, outputSchema]) {
      if (schema === undefined) continue;
      const combined = Object.keys(schema).filter((key) => /^(anyOf|oneOf|allOf|\$)/.test(key));
      expect([schema.type, combined]).toEqual(["object", []]);
    }
    expect(inputSchema["additionalProperties"]).toBe(false);
    expect(JSON.stringify([inputSchema, outputSchema])).not.toContain("9007199254740991");
  });

  test("describes every parameter in its own words", () => {
    const bare = fieldsOf(inputSchema).filter(([, field]) => (field.description ?? "").length < 10);
    expect(bare).toEqual([]);
  });

  test("names the unit of every parameter in milliseconds", () => {
    const timed = fieldsOf(inputSchema).filter(([field]) => /timeout|_ms$/.test(field));
    for (const [, field] of timed) expect(field.description).toMatch(/\bms\b|milliseconds/i);
  });

  test("says all four hints, and a reader is never destructive", () => {
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {};
    const hints = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint];
    expect(hints.map((hint) => typeof hint)).toEqual(Array(4).fill("boolean"));
    expect(readOnlyHint && destructiveHint).toBe(false);
    expect(title?.length).toBeGreaterThan(5);
  });

  test("has a description of at most 2 KiB", () => {
    expect(description.length).toBeGreaterThan(40);
    expect(Buffer.byteLength(description)).toBeLessThanOrEqual(2_048);
  });
});

// Behind the tests that write them.
test("no golden file is without its tool", () => {
  expect(readdirSync(goldenFolder).sort()).toEqual(names.map((name) => `${name}.json`).sort());
});

test("catalogueCards() gives the same bytes each time, by the names of the catalogue", () => {
  expect(JSON.stringify(catalogueCards())).toBe(JSON.stringify(catalogueCards()));
  expect(names).toEqual([...catalogue.keys()]);
});
