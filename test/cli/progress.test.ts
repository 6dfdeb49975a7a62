import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";

import { ParsedArguments, Printer, type CommandIo } from "../../src/cli/command-io.ts";
import { progressLine, ServerProgress, withProgress } from "../../src/cli/progress.ts";

describe("progressLine()", () => {
  const line = { text: "Starting memory", ms: 3_456, columns: 80, isDrawn: false };

  test.each([
    [line, "- Starting memory 3 s"],
    [{ ...line, ms: 3_556 }, "\\ Starting memory 3 s"],
    [{ ...line, ms: 75_000 }, "- Starting memory 1 min 15 s"],
    // 20 characters, and one column stays empty.
    [{ ...line, ms: 3_400, columns: 22 }, "- Starting memory 3 s"],
    [{ ...line, ms: 3_400, columns: 21 }, "- Starting memo~ 3 s"],
    [{ ...line, ms: 3_400, columns: 12 }, "- Star~ 3 s"],
    [{ ...line, ms: 3_400, columns: 1 }, "- ~ 3 s"],
    [{ ...line, isDrawn: true, ms: 0, columns: 14 }, "⣾ Starti… 0 s"],
    [{ ...line, ms: 0, text: "a\nb\u001b[2J" }, "| a\\u{a}b\\u{1b}[2J 0 s"],
    [{ ...line, ms: 0, text: "漢字漢字漢字", columns: 14 }, "| 漢字漢~ 0 s"],
  ])("%j", (input, expected) => {
    expect(progressLine(input)).toBe(expected);
  });
});

test("ServerProgress names the servers that have not ended, and a package that is being fetched", () => {
  const progress = new ServerProgress("Starting", ["a", "b", "c"]);
  const texts = [progress.text()];
  progress.onEnd("a");
  texts.push(progress.text());
  progress.onInstalling("b", { what: "pkg@1", runner: "npx", since: 0 });
  texts.push(progress.text());
  progress.onEnd("b");
  texts.push(progress.text());
  expect(texts).toEqual([
    "Starting a, b, c (0 of 3 done)",
    "Starting b, c (1 of 3 done)",
    "b: npx fetches pkg@1 (1 of 3 done)",
    "Starting c (2 of 3 done)",
  ]);
  expect(new ServerProgress("Asking", ["only"]).text()).toBe("Asking only");
});

describe("withProgress()", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** What is written to stderr while `work` takes this long. */
  async function during(
    ms: number,
    { isTerminal = false, flags = [], env = {} }: Partial<Surroundings>,
  ): Promise<readonly string[]> {
    const written: string[] = [];
    const output = { isTerminal, columns: 40, write: (text: string) => void written.push(text) };
    // Nothing else of it is used.
    const io = { env, stdout: output, stderr: output } as unknown as CommandIo;
    const args = new ParsedArguments(new Map(flags.map((flag) => [flag, [""]])), []);
    const print = new Printer(io);
    const end = Promise.withResolvers<string>();
    const result = withProgress(
      { args, io, print },
      () => "Working",
      () => end.promise,
    );
    jest.advanceTimersByTime(ms);
    end.resolve("result");
    expect(await result).toBe("result");
    return written;
  }

  interface Surroundings {
    readonly isTerminal: boolean;
    readonly flags: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  }

  const long = 31_000;

  test.each<[name: string, ms: number, Partial<Surroundings>]>([
    ["--json", long, { isTerminal: true, flags: ["json"] }],
    ["--json in a pipe", long, { flags: ["json"] }],
    ["work that is over at once, on a terminal", 200, { isTerminal: true }],
    ["work of some seconds, in a pipe", 14_000, {}],
  ])("is silent: %s", async (_name, ms, surroundings) => {
    expect(await during(ms, surroundings)).toEqual([]);
  });

  test.each<[name: string, Partial<Surroundings>]>([
    ["in a pipe", {}],
    ["on a dumb terminal", { isTerminal: true, env: { TERM: "dumb" } }],
  ])("prints a line every 15 s: %s", async (_name, surroundings) => {
    const lines = await during(long, surroundings);
    const line = surroundings.isTerminal ? "Working (T)\n" : "scorpiox-code: Working (T)\n";
    expect(lines.map((text) => text.replace(/\(.* so far\)/, "(T)"))).toEqual([line, line]);
  });
});

test("a line on a terminal is drawn again and again, gives way to output, and is gone at the end", async () => {
  const written: string[] = [];
  const output = {
    isTerminal: true,
    columns: 40,
    write: (text: string) => void written.push(text),
  };
  const io = { env: { NO_COLOR: "1" }, stdout: output, stderr: output } as unknown as CommandIo;
  const print = new Printer(io);
  const args = new ParsedArguments(new Map(), []);
  await withProgress(
    { args, io, print },
    () => "Working",
    async () => {
      while (written.length < 3) await new Promise((resolve) => setImmediate(resolve));
      print.warning("careful");
    },
  );
  const shown = written.map((text) => text.replace(/[|/\\-] Working \d+ s/, "# Working T"));
  expect(shown.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => "\r\u001b[K# Working T\r"));
  expect(shown.slice(3)).toEqual(["\r\u001b[K", "warning: careful\n"]);
});
