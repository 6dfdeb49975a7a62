import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { allowed } from "../scripts/english/allowed.ts";
import { areaOf, findingsIn, findingsOf, proseFiles } from "../scripts/english/findings.ts";
import { readPassages } from "../scripts/english/read-passages.ts";
import { readSource } from "../scripts/english/read-source.ts";
import { rules } from "../scripts/english/rules.ts";

const root = join(import.meta.dir, "..");

const files = proseFiles(root);
const areas = [...new Set(files.map(areaOf))].toSorted();

describe("docs/style.md", () => {
  test.each(areas)("%s keeps to it", (area) => {
    const mine = files.filter((file) => areaOf(file) === area);
    const found = mine
      .flatMap((file) => findingsOf(root, file))
      .map(({ file, line, rule, excerpt }) => `${file}:${line}: ${rule.name}: ${excerpt}`);
    expect(found).toEqual([]);
  });
});

/** Per rule: phrases that break it, and phrases near them that are English. */
const examples: Readonly<
  Record<string, readonly [bad: readonly string[], good: readonly string[]]>
> = {
  "what-clause as a noun": [
    ["What is left of a line.", "the end of what it said", "Cut. What a tool gives."],
    ["see what changed", "What is your name?", "What to do next.", "says what happened"],
  ],
  counts: [
    ["the default counts.", "it counts only once"],
    ["counts the bytes", "a number that counts from 1"],
  ],
  "stands, lies": [
    ["the line stands before it", "where it lies"],
    ["it stands for a number", "a stand-in", "relies on it"],
  ],
  "is no": [
    ["x is no number", "it is none", "a value that must be no list"],
    ["there is no tool", "it is no longer there", "if there is none", "has no name"],
  ],
  ours: [
    ["a file of ours", "hooks of yours"],
    ["our file", "your hooks", "hours"],
  ],
  anew: [["it starts anew"], ["a new one"]],
  "other servers": [
    ["the other MCP servers", "tools of other servers", "another server"],
    ["the other server process", "MCP servers"],
  ],
  "is told, tells of": [
    ["the client is told", "it tells of a change"],
    ["they can be told apart", "tells the user"],
  ],
  "who as a subject": [
    ["whoever asks", "it is for who asks", "Who has no form is asked."],
    ["a user who asks", "Who are you?"],
  ],
  "can be had": [["it cannot be had", "where one is to be had"], ["the file had a name"]],
  "for ever": [["it waits for ever"], ["forever", "for every call"]],
  "held against": [["each is held against a rule"], ["it holds the lock"]],
  "begins without its noun": [
    ["Of the data.", "Those that run.", "The same on Windows.", "As those of a tool."],
    ["Often empty.", "The data of a call.", "Sent again. The same text follows."],
  ],
};

describe("rules", () => {
  const nameOf = (text: string): string[] =>
    findingsIn({ text, isDoc: true }).map(({ rule }) => rule.name);

  test.each(rules.map((rule) => [rule.name] as const))("%s", (name) => {
    const [bad = [], good = []] = examples[name] ?? [];
    expect(bad.map(nameOf)).toEqual(bad.map(() => [name]));
    expect(good.map(nameOf)).toEqual(good.map(() => []));
  });

  test("each allowed phrase is needed and occurs", () => {
    const passages = files.flatMap((file) =>
      readPassages(file, readFileSync(join(root, file), "utf8")).map(({ text }) => text),
    );
    const stale = Object.keys(allowed).filter(
      (phrase) =>
        !rules.some(({ expression }) => expression.test(phrase)) ||
        !passages.some((text) => text.includes(phrase)),
    );
    expect(stale).toEqual([]);
  });
});

describe("readSource", () => {
  test.each<[source: string, texts: readonly string[]]>([
    [`const a = "one \\"two\\"";`, [`one "two"`]],
    ["`a ${b ? `c ${d}` : 'e'} f`", ["c {}", "e", "a {} f"]],
    [`"a " +\n  "b " +\n  c + "d"`, ["a b ", "d"]],
    [`x = a / b / "c"; y = /["'/]\\//.test("d")`, ["c", "d"]],
    [`if (/"/.exec(x)) return /'/u; // "yes"\n"e" /* "no" */`, ['// "yes"', "e"]],
    [`a; // b\n  // c\n\n// d\ne("//f");`, ["// b\n  // c", "// d", "//f"]],
    [`/** Doc's. */ "f"`, ["/** Doc's. */", "f"]],
    ["`${{ a: 1 }.a} b`", ["{} b"]],
  ])("%s", (source, texts) => {
    expect(readSource(source).map(({ text }) => text)).toEqual([...texts]);
  });
});

test("a rule for doc comments leaves strings and pages alone", () => {
  expect(findingsIn({ text: "The same on Windows." })).toEqual([]);
});

test("readPassages: comments and strings of a source, blocks and cells of a page", () => {
  const source =
    '/**\n * One `x y`\n * two. Three.\n */\nconst a = "four five";\nconst b = "six";\n// seven\n// eight\n';
  expect(readPassages("a.ts", source)).toEqual([
    { text: "One `code` two. Three.", line: 1, isDoc: true },
    { text: "four five", line: 5 },
    { text: "seven eight", line: 7 },
  ]);
  const page =
    "# No heading\n\nOne\n[two](three four) five.\n- six seven\n\n```sh\nno code\n```\n| a b | c d |\n";
  expect(readPassages("a.md", page)).toEqual([
    { text: "One [two](three four) five.", line: 3 },
    { text: "six seven", line: 5 },
    { text: "a b", line: 10 },
    { text: "c d", line: 10 },
  ]);
});
