import { chmodSync } from "node:fs";
import { describe, expect, test } from "bun:test";

import { TempTree } from "./temp-tree.ts";
import type { TreeEntry } from "./temp-tree.ts";

const file = "home/.scorpiox/scorpiox-env.txt";
const mebibyte = 1024 * 1024;

interface FileCase {
  readonly name: string;
  readonly entry: TreeEntry;
  readonly streaming: boolean;
  /** Without the path of the file. */
  readonly problems: readonly string[];
}

const ignored = (reason: string): readonly string[] => [`: this file ${reason}; it is ignored.`];

const cases: readonly FileCase[] = [
  { name: "empty", entry: "", streaming: true, problems: [] },
  { name: "byte order mark", entry: "\uFEFFSTREAMING=0\n", streaming: false, problems: [] },
  { name: "CRLF", entry: "# x\r\nSTREAMING=0\r\n", streaming: false, problems: [] },
  { name: "no final newline", entry: "STREAMING=0", streaming: false, problems: [] },
  { name: "spaces around", entry: "  STREAMING  =  0  \n", streaming: false, problems: [] },
  { name: "comment with =", entry: "  # STREAMING=0\n", streaming: true, problems: [] },
  {
    name: "= inside the value",
    entry: "MCP_SERVER=a:b:--x=1\nSTREAMING=0\n",
    streaming: false,
    problems: [],
  },
  {
    name: "duplicate",
    entry: "STREAMING=1\n\nSTREAMING=0\n",
    streaming: false,
    problems: [":3: STREAMING is set on line 1 too; this line is used."],
  },
  {
    name: "empty value",
    entry: "STREAMING=\n",
    streaming: true,
    problems: [
      ':1: STREAMING="" is refused: it must be one of 1, true, yes, on, 0, false, no, off.',
    ],
  },
  {
    name: "lines without = or key, which are not shown",
    entry: "secret words\n=0\nexport STREAMING\nSTREAMING=0\n",
    streaming: false,
    problems: [1, 2, 3].map((line) => `:${line}: this line is not KEY=VALUE; it is ignored.`),
  },
  { name: "directory", entry: { dir: true }, streaming: true, problems: ignored("is a directory") },
  {
    name: "dangling link",
    entry: { link: "nowhere" },
    streaming: true,
    problems: ignored("is a symbolic link to something that does not exist"),
  },
  {
    name: "link to itself",
    entry: { link: file },
    streaming: true,
    problems: ignored("is a symbolic link that leads back to itself"),
  },
  {
    name: "binary",
    entry: Uint8Array.of(83, 0, 61, 48),
    streaming: true,
    problems: ignored("is not UTF-8 text"),
  },
  {
    name: "not UTF-8",
    entry: Uint8Array.of(83, 0xff, 61, 48),
    streaming: true,
    problems: ignored("is not UTF-8 text"),
  },
  {
    name: "a replacement character of its own",
    entry: "# \uFFFD\nSTREAMING=0\n",
    streaming: false,
    problems: [],
  },
  {
    name: "1 MiB",
    entry: `STREAMING=0\n${"#".repeat(mebibyte - 12)}`,
    streaming: false,
    problems: [],
  },
  {
    name: "over 1 MiB",
    entry: `STREAMING=0\n${"#".repeat(mebibyte - 11)}`,
    streaming: true,
    problems: ignored("is larger than 1048576 bytes"),
  },
];

describe("loadConfig() reads a file that is", () => {
  test.each(cases)("$name", ({ entry, streaming, problems }) => {
    using tree = new TempTree({ [file]: entry });
    const loaded = tree.load();
    expect({
      streaming: loaded.settings.streaming,
      problems: loaded.problems.map(({ message }) => message.replaceAll(tree.path(file), "")),
    }).toEqual({ streaming, problems: [...problems] });
  });

  test("a FIFO, without waiting for a writer", () => {
    using tree = new TempTree({ "home/.scorpiox/x": "" });
    expect(Bun.spawnSync(["mkfifo", tree.path(file)]).exitCode).toBe(0);
    expect(tree.load().problems.map(({ message }) => tree.relative(message))).toEqual([
      `${file}: this file is not a regular file; it is ignored.`,
    ]);
  });

  // The superuser reads everything.
  test.skipIf(process.getuid?.() === 0)("not readable", () => {
    using tree = new TempTree({ [file]: "STREAMING=0" });
    chmodSync(tree.path(file), 0);
    expect(tree.load().problems.map(({ message }) => tree.relative(message))).toEqual([
      `${file}: this file may not be read by this user; it is ignored.`,
    ]);
  });

  test("a file in the place of its folder", () => {
    using tree = new TempTree({ "home/.scorpiox": "text" });
    expect(tree.load().problems).toEqual([]);
  });

  test("garbage: its problems are bounded", () => {
    using tree = new TempTree({ [file]: "garbage\n".repeat(1000) });
    const { problems } = tree.load();
    expect(problems.length).toBe(20);
    expect(problems.at(-1)?.message).toEndWith("Further problems here are not listed.");
  });
});
