import { describe, expect, test } from "bun:test";

import type { ConfigEntry } from "../../src/config/resolution.ts";
import { instructions, standInLine } from "../../src/program/instructions.ts";
import { catalogue } from "../../src/tools/catalogue.ts";

test("instructions are at most 2 KB and name only tools that there are", () => {
  expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(2_048);
  const named = instructions.match(/\b[A-Z][a-z]+[A-Z][A-Za-z]+\b/g) ?? [];
  const names = catalogue.map(({ name }) => name);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

test("instructions name every tool, and what the server is for comes first", () => {
  expect(catalogue.filter(({ name }) => !instructions.includes(name))).toEqual([]);
  expect(instructions).toMatch(/^scorpiox-code runs shell commands/);
});

describe("standInLine()", () => {
  const standIn = (key: string, source: ConfigEntry["source"]): ConfigEntry => ({
    key,
    value: "false",
    source,
    use: "used",
  });

  test("names each key with its place and what counts, not what is written there", () => {
    const line = standInLine([
      standIn("TOOL_BASH", {
        level: "global",
        file: "/home/a/.scorpiox/scorpiox-env.txt",
        line: 3,
      }),
      standIn("MCP", { level: "environment", variable: "SCORPIOX_MCP" }),
    ]);
    expect(line).toBe(
      "What the configuration says here cannot be read, so the strictest value counts: " +
        "TOOL_BASH=false (scorpiox-env.txt:3), MCP=false (SCORPIOX_MCP). Tell the user when one of these is in the way.",
    );
  });

  test("is bounded, and there is none without a cause", () => {
    const many = Array.from({ length: 200 }, (_, at) =>
      standIn(`SKILL_${"X".repeat(60)}${at}`, { level: "flag" }),
    );
    expect(standInLine([])).toBeUndefined();
    expect(standInLine(many)).toMatch(/ and 192 more\. Tell the user/);
    expect(standInLine(many)?.length).toBeLessThan(1000);
  });
});
