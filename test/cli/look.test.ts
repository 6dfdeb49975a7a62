import { describe, expect, test } from "bun:test";

import type { Environment } from "../../src/base/values.ts";
import { hasColours, hasDrawnSigns, lookOf, type Mark } from "../../src/cli/look.ts";
import { run } from "./fake-io.ts";

test.each<[isTerminal: boolean, env: Environment, expected: boolean]>([
  [true, {}, true],
  [false, {}, false],
  [true, { TERM: "dumb" }, false],
  [true, { TERM: "xterm-256color" }, true],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "true", TERM: "dumb" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [true, { FORCE_COLOR: "false" }, false],
  [false, { FORCE_COLOR: "" }, false],
  [true, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("hasColours(%p) with %j", (isTerminal, env, expected) => {
  expect(hasColours(isTerminal, env)).toBe(expected);
});

test.each<[env: Environment, platform: NodeJS.Platform, expected: boolean]>([
  [{}, "linux", false],
  [{}, "darwin", true],
  [{}, "win32", true],
  [{ LANG: "en_GB.UTF-8" }, "linux", true],
  [{ LANG: "C" }, "linux", false],
  [{ LANG: "C" }, "darwin", false],
  [{ LANG: "de_DE.ISO-8859-1" }, "linux", false],
  [{ LANG: "C", LC_ALL: "C.utf8" }, "linux", true],
  [{ LANG: "en_GB.UTF-8", LC_CTYPE: "POSIX" }, "linux", false],
  [{ LANG: "en_GB.UTF-8", LC_ALL: "" }, "linux", true],
])("hasDrawnSigns() with %j on %s", (env, platform, expected) => {
  expect(hasDrawnSigns(env, platform)).toBe(expected);
});

describe("marks", () => {
  const all: readonly Mark[] = ["good", "attention", "bad", "off"];
  const marksOf = (isTerminal: boolean, env: Environment): string =>
    all.map((mark) => lookOf(isTerminal, env, "linux").mark(mark)).join(" ");

  test.each<[isTerminal: boolean, env: Environment, expected: string]>([
    [false, { LANG: "C.UTF-8" }, "✓ ! ✗ -"],
    [false, {}, "+ ! x -"],
    [
      true,
      { LANG: "C.UTF-8" },
      "\u001b[32m✓\u001b[0m \u001b[33m!\u001b[0m \u001b[31m✗\u001b[0m \u001b[2m-\u001b[0m",
    ],
    [true, { LANG: "C.UTF-8", NO_COLOR: "1" }, "✓ ! ✗ -"],
    [true, { LANG: "C.UTF-8", TERM: "dumb" }, "✓ ! ✗ -"],
  ])("terminal %p, %j", (isTerminal, env, expected) => {
    expect(marksOf(isTerminal, env)).toBe(expected);
  });
});

describe("the printer", () => {
  const files = { "home/.scorpiox/config.toml": "[mcp.servers.a]\ncommand = 'a'\n" };
  const env = { LANG: "C.UTF-8", FORCE_COLOR: "1" };

  test("colours marks of a list, and never JSON", async () => {
    const list = await run(["mcp", "list"], { files, env });
    expect(list.stdout).toStartWith("\u001b[32m✓\u001b[0m a  stdio  approved  user: ");
    const json = await run(["mcp", "list", "--json"], { files, env });
    expect([json.stdout.includes("\u001b"), json.stderr]).toEqual([false, ""]);
  });

  test("makes headings of help bold on a terminal", async () => {
    const { stdout } = await run(["help", "mcp", "remove"], { terminals: ["stdout"], columns: 80 });
    const bold = stdout
      .split("\u001b[1m")
      .slice(1)
      .map((text) => text.split("\u001b[0m", 1)[0]);
    expect(bold).toEqual(["Usage:", "Flags:", "Common flags (scorpiox-code help flags):"]);
    expect((await run(["help", "mcp", "remove"])).stdout).not.toContain("\u001b");
  });

  test.each<[terminals: readonly "stderr"[], stderr: string]>([
    [[], "scorpiox-code: a is removed from project/.scorpiox/config.toml\n"],
    [["stderr"], "✓ a is removed from project/.scorpiox/config.toml\n"],
  ])(
    "names the program in logs, and marks what was done on a terminal: %j",
    async (terminals, stderr) => {
      const ours = { "project/.scorpiox/config.toml": "[mcp.servers.a]\ncommand = 'a'\n" };
      const ran = await run(["mcp", "remove", "a"], {
        files: ours,
        env: { LANG: "C.UTF-8", NO_COLOR: "1" },
        terminals,
      });
      expect([ran.exitCode, ran.stderr]).toEqual([0, stderr]);
    },
  );
});
