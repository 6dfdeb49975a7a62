import { describe, expect, test } from "bun:test";

import { commandListings } from "../../../src/cli/run/registry.ts";
import { run } from "../fake-io.ts";

/** Words that no line can break: a command line, a flag with its values. */
const unbreakable = /^ *-|scorpiox-code /;

describe("help keeps to the width of the terminal", () => {
  const pages = [[], ["flags"], ["mcp"], ...commandListings.map(({ name }) => name.split(" "))];

  test.each([40, 80, 120])("%i columns", async (columns) => {
    for (const page of pages) {
      const { exitCode, stdout } = await run(["help", ...page], { columns });
      const long = stdout
        .split("\n")
        .filter((line) => line.length > columns && !unbreakable.test(line))
        // One word alone.
        .filter((line) => line.trim().includes(" "));
      expect({ page, exitCode, long }).toEqual({ page, exitCode: 0, long: [] });
    }
  });

  test("no line is longer than 100 characters, however wide the terminal is", async () => {
    const { stdout } = await run(["help", "serve"], { columns: 300 });
    expect(stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });
});

test("examples come first, common flags are named only", async () => {
  const { stdout } = await run(["help", "install"], { columns: 80 });
  const lines = stdout.split("\n");
  const at = (text: string): number => lines.findIndex((line) => line.startsWith(text));
  expect(at("Examples:")).toBeLessThan(at("Connects clients"));
  expect(at("Connects clients")).toBeLessThan(at("Flags:"));
  expect(stdout).toContain("Common flags (scorpiox-code help flags): --cwd, --verbose, --help\n");
  expect((await run(["help", "flags"])).stdout).toContain("--strict-config");
});

test("every command is in the overview", async () => {
  const { stdout } = await run(["help"]);
  const words = new Set(stdout.split(/[\s,]+/));
  const missing = commandListings
    .flatMap(({ name }) => name.split(" "))
    .filter((word) => !words.has(word));
  expect(missing).toEqual([]);
});
