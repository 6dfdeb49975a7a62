import { chmodSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import {
  parseEnvFile,
  setInEnvFile,
  setInEnvText,
  unsetInEnvFile,
  unsetInEnvText,
} from "../../src/config/env-file.ts";
import { TempTree } from "./temp-tree.ts";

const path = "home/.scorpiox/scorpiox-env.txt";

describe("setInEnvText()", () => {
  test.each([
    ["an empty text", "", "K=v\n"],
    ["a key in place", "# a\nA=1\nK = old  \nB=2\n", "# a\nA=1\nK = v  \nB=2\n"],
    ["a new last line", "A=1\n", "A=1\nK=v\n"],
    ["a missing final newline", "A=1", "A=1\nK=v\n"],
    ["CRLF", "A=1\r\nK=\r\n", "A=1\r\nK=v\r\n"],
    ["CRLF, appended", "A=1\r\nB=2", "A=1\r\nB=2\r\nK=v\r\n"],
    ["the duplicate that counts", "K=1\nK=2\nA=1\n", "K=1\nK=v\nA=1\n"],
    ["no comment", "# K=1\n", "# K=1\nK=v\n"],
    ["a byte order mark", "\uFEFFK=1\nA=1", "\uFEFFK=v\nA=1"],
    ["= in the old value", "K=a=b\n", "K=v\n"],
    ["the comment behind the value", "K=old   # why\nA=1\n", "K=v   # why\nA=1\n"],
    ["a comment with a quote", `K=old # it's\n`, `K=v # it's\n`],
    ["the comment behind no value", "K=  # why\n", "K=v  # why\n"],
    ["the comment behind a quoted value", "K='a # b' # why\n", "K=v # why\n"],
    ["export", "export K=old\n", "export K=v\n"],
  ])("keeps %s", (_, before, after) => {
    expect(setInEnvText(before, "K", "v")).toBe(after);
  });
});

describe("setInEnvText() quotes", () => {
  test.each([
    ["a#b", "K=a#b\n"],
    ["#b", "K='#b'\n"],
    ["a #b", "K='a #b'\n"],
    ['"a"', "K='\"a\"'\n"],
    ["it's #1 # 2", 'K="it\'s #1 # 2"\n'],
    [String.raw`'a\b" #`, String.raw`K="'a\\b\" #"` + "\n"],
    ["it's", 'K="it\'s"\n'],
    ['--x="a b"', 'K=--x="a b"\n'],
  ])("what would be read as something else: %s", (value, after) => {
    expect(setInEnvText("", "K", value)).toBe(after);
    expect(parseEnvFile(after).entries).toEqual([{ key: "K", value, line: 1 }]);
  });
});

describe("parseEnvFile()", () => {
  test.each([
    ["a comment behind the value", "K=a b # c", "a b"],
    ["a comment behind nothing", "K= # c", ""],
    ["# within a word", "K=a#b", "a#b"],
    ["# at once after =", "K=#b", "#b"],
    ["double quotes", 'K="a # b"  # c', "a # b"],
    ["single quotes", "K='a # \"b'", 'a # "b'],
    ["escapes in double quotes", String.raw`K="a\"b\\c\d"`, String.raw`a"b\c\d`],
    ["no escapes in single quotes", String.raw`K='a\'`, "a\\"],
    ["no escapes outside", String.raw`K=C:\x\"y`, String.raw`C:\x\"y`],
    ["quotes within a value, which stay", 'K=--x="a # b" # c', '--x="a # b"'],
    ["two quoted parts, which stay", `K="a","b"`, `"a","b"`],
    ["a quote without its other half", `K="a # b`, `"a`],
    ["an apostrophe", "K=it's # b", "it's"],
    ["blanks within quotes, trimmed as everywhere", "K=' a '", "a"],
    ["export", "  export\tK = a", "a"],
    ["a key that begins so", "exportK=a", undefined],
    ["CRLF", "K=a # b\r", "a"],
  ])("reads %s", (_, line, value) => {
    expect(parseEnvFile(line).entries.find(({ key }) => key === "K")?.value).toBe(value);
  });

  test("reads a line of nothing but quotes at once", () => {
    for (const part of ['"', "'", '"\\', "'\"", '\\"']) {
      expect(parseEnvFile(`K=x${part.repeat(250_000)}`).entries.length).toBe(1);
    }
  });
});

describe("unsetInEnvText()", () => {
  test.each([
    ["every line of the key", "K=1\nA=1\n K = 2\n# K=3\n", "A=1\n# K=3\n"],
    ["the last line", "A=1\r\nK=1", "A=1\r\n"],
    ["the first line but its mark", "\uFEFFK=1\nA=1\n", "\uFEFFA=1\n"],
    ["nothing", "A=1\nKK=1\n", "A=1\nKK=1\n"],
  ])("removes %s", (_, before, after) => {
    expect(unsetInEnvText(before, "K")).toBe(after);
  });
});

test("setInEnvText() and unsetInEnvText() keep every other line", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "# note",
      "",
      "A=1",
      "KEY=old",
      "export KEY=a # b",
      "KEY='a # b' # c",
      'KEY="',
      "KEY=a # it's",
      'KEY=a # "',
      " KEY = x ",
      "garbage",
      "=x",
      "B = ü=\t",
    ),
    fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "")),
  );
  const anyValue = fc.oneof(
    fc.constantFrom("0", "a=b", "é"),
    fc
      .string({ unit: fc.constantFrom("a", "b", " ", "#", '"', "'", "\\", "=", "\t") })
      .map((value) => value.trim()),
  );
  const text = fc
    .array(fc.tuple(line, fc.constantFrom("\n", "\r\n")))
    .map((lines) => lines.flat().join(""));
  fc.assert(
    fc.property(text, fc.constantFrom("", "tail"), anyValue, (...given) => {
      const [body, tail, value] = given;
      const before = body + tail;
      const others = (content: string): string[] =>
        content.split("\n").filter((row) => parseEnvFile(row).entries[0]?.key !== "KEY");
      const after = setInEnvText(before, "KEY", value);
      const values = parseEnvFile(after).entries.filter((entry) => entry.key === "KEY");
      expect(values.at(-1)?.value).toBe(value);
      expect(setInEnvText(after, "KEY", value)).toBe(after);
      const removed = unsetInEnvText(after, "KEY");
      expect(others(removed).join("\n")).toBe(removed);
      // An open last line got an ending, of the file's kind; all else is as it was.
      const endings = (content: string): string =>
        others(content)
          .join("\n")
          .replace(/\r?\n?$/, "");
      expect(endings(after)).toBe(endings(before));
    }),
  );
});

describe("setInEnvFile()", () => {
  test("makes file and folder, private", () => {
    using tree = new TempTree();
    setInEnvFile({ file: tree.path(path) }, "TOOLS", " 0 ");
    expect(readFileSync(tree.path(path), "utf8")).toBe("TOOLS=0\n");
    expect(statSync(tree.path(path)).mode & 0o777).toBe(0o600);
    expect(statSync(tree.path("home/.scorpiox")).mode & 0o777).toBe(0o700);
    expect(readdirSync(tree.path("home/.scorpiox"))).toEqual(["scorpiox-env.txt"]);
  });

  test("writes through a symbolic link", () => {
    using tree = new TempTree({ "dotfiles/env": "A=1\n", [path]: { link: "dotfiles/env" } });
    setInEnvFile({ file: tree.path(path) }, "TOOLS", "0");
    expect(readFileSync(tree.path("dotfiles/env"), "utf8")).toBe("A=1\nTOOLS=0\n");
    expect(lstatSync(tree.path(path)).isSymbolicLink()).toBe(true);
  });

  test("gives up on a link that leads back to itself", () => {
    using tree = new TempTree({ [path]: { link: path } });
    expect(() => setInEnvFile({ file: tree.path(path) }, "A", "1")).toThrow("back to itself");
  });

  test("does not follow a link out of the project", () => {
    const file = "project/.scorpiox/scorpiox-env.txt";
    using tree = new TempTree({ "home/.bashrc": "x\n", [file]: { link: "home/.bashrc" } });
    const target = { file: tree.path(file), insideDir: tree.path("project") };
    expect(() => setInEnvFile(target, "TOOLS", "0")).toThrow("leads out of the project");
    expect(readFileSync(tree.path("home/.bashrc"), "utf8")).toBe("x\n");
  });

  test.each([
    ["a line break in the value", "TOOLS", "0\nX=1", "must be on one line"],
    ["a NUL in the value", "TOOLS", "\0", "must be on one line"],
    ["a name that is none", "A B", "1", '"A B" is not a valid key name'],
    ["a comment as a name", "#A", "1", "is not a valid key name"],
  ])("refuses %s", (_, key, value, message) => {
    using tree = new TempTree();
    expect(() => setInEnvFile({ file: tree.path(path) }, key, value)).toThrow(message);
    expect(tree.load().problems).toEqual([]);
  });

  test.each([
    ["a directory", { dir: true } as const, "is a directory"],
    ["binary", Uint8Array.of(0xff), "is not UTF-8 text"],
  ])("leaves alone what is %s", (_, entry, message) => {
    using tree = new TempTree({ [path]: entry });
    expect(() => setInEnvFile({ file: tree.path(path) }, "A", "1")).toThrow(message);
  });

  test.skipIf(process.getuid?.() === 0)("says so when the folder may not be written", () => {
    using tree = new TempTree({ [path]: "A=1\n" });
    chmodSync(tree.path("home/.scorpiox"), 0o500);
    expect(() => setInEnvFile({ file: tree.path(path) }, "A", "2")).toThrow("cannot be written");
    chmodSync(tree.path("home/.scorpiox"), 0o700);
  });

  test("two writers at once never leave a torn file", async () => {
    using tree = new TempTree({ [path]: "# filler\n".repeat(2000) });
    const writer = new URL("./fixtures/write-repeatedly.ts", import.meta.url).pathname;
    const children = ["first", "second"].map((name) =>
      Bun.spawn([process.execPath, writer, tree.path(path), name], { stderr: "inherit" }),
    );
    while (children.some((child) => child.exitCode === null)) {
      const text = readFileSync(tree.path(path), "utf8");
      expect(text.split("# filler\n").length).toBe(2001);
      expect(text.endsWith("\n")).toBe(true);
      await Bun.sleep(0);
    }
    expect(children.map((child) => child.exitCode)).toEqual([0, 0]);
    expect(readdirSync(tree.path("home/.scorpiox"))).toEqual(["scorpiox-env.txt"]);
  });
});

describe("unsetInEnvFile()", () => {
  test("tells whether there was something to remove", () => {
    using tree = new TempTree({ [path]: "A=1\n" });
    const target = { file: tree.path(path) };
    expect([unsetInEnvFile(target, "A"), unsetInEnvFile(target, "A")]).toEqual([true, false]);
    expect(unsetInEnvFile({ file: tree.path("home/none/x.txt") }, "A")).toBe(false);
    expect(readdirSync(tree.path("home"))).toEqual([".scorpiox"]);
  });
});
