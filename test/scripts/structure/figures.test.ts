import { describe, expect, test } from "bun:test";

import { cyclesOf } from "../../../scripts/structure/cycles.ts";
import { figuresOf } from "../../../scripts/structure/figures.ts";
import { describeSource, type SourceFile } from "../../../scripts/structure/source-file.ts";

describe("describeSource()", () => {
  test("tells exports and imports, those of types and at run time too, each once", () => {
    const text = `#!/usr/bin/env bun
import type { A } from "./a.ts";
import { b } from "../b.ts";
import { join } from "node:path";
export * from "../b.ts";
export { c, type D } from "./c.ts";
export const load = () => import("./d.ts");
export class E {}
`;
    expect(describeSource("x/y/z.ts", text)).toEqual({
      path: "x/y/z.ts",
      lines: 8,
      codeLines: 8,
      exports: ["*", "c", "D", "load", "E"],
      imports: ["x/y/a.ts", "x/b.ts", "x/y/c.ts", "x/y/d.ts"],
    });
  });

  test.each([
    ["a blank line", "a();\n\n  \nb();\n", 4, 2],
    ["comments that stand alone", "// one\na();\n/**\n * two\n */\nb();\n", 6, 2],
    ["a comment behind code", "a(); // one\nb(/* two\n */);\n", 3, 3],
    ["what only looks like a comment", 'a("// one");\nb(`/*\n*/`);\n', 3, 3],
  ])("counts lines of code: %s", (_, text, lines, codeLines) => {
    const { path, ...counted } = describeSource("a.ts", text);
    expect([path, counted]).toEqual(["a.ts", { lines, codeLines, exports: [], imports: [] }]);
  });

  test("refuses what does not parse", () => {
    expect(() => describeSource("a.ts", "const = 1;")).toThrow("a.ts: ");
  });
});

test.each([
  ["nothing", {}, []],
  ["a way", { a: ["b"], b: ["c"], c: [] }, []],
  ["two ways to one", { a: ["b", "c"], b: ["d"], c: ["d"], d: [] }, []],
  ["itself", { a: ["a"] }, [["a"]]],
  ["a ring behind a way", { a: ["b"], b: ["c"], c: ["d"], d: ["b"] }, [["b", "c", "d"]]],
  ["two rings in one", { a: ["b", "c"], b: ["a"], c: ["a"] }, [["a", "b", "c"]]],
  [
    "two rings, one way between",
    { a: ["b"], b: ["a", "c"], c: ["d"], d: ["c"] },
    [
      ["c", "d"],
      ["a", "b"],
    ],
  ],
])("cyclesOf() finds the groups of %s", (_, edges, groups) => {
  expect(cyclesOf(new Map(Object.entries<string[]>(edges)))).toEqual(groups);
});

test("figuresOf() counts", () => {
  const file = (path: string, lines: number, facts: Partial<SourceFile> = {}): SourceFile => ({
    path,
    lines,
    codeLines: lines - 1,
    exports: ["one"],
    imports: [],
    ...facts,
  });
  const sources = [
    file("main.ts", 30, { exports: [], imports: ["a/one.ts", "a/two.ts"] }),
    file("a/one.ts", 31, { imports: ["a/b/used.ts"] }),
    file("a/two.ts", 50, { exports: ["one", "two"], imports: ["a/b/used.ts", "c/ring.ts"] }),
    file("a/b/used.ts", 10),
    file("c/ring.ts", 90, { imports: ["c/ring-two.ts"] }),
    file("c/ring-two.ts", 5, { exports: ["one", "two"], imports: ["c/ring.ts"] }),
  ];
  expect(figuresOf(sources)).toEqual({
    files: 6,
    codeLines: 210,
    linesMedian: 31,
    linesP90: 90,
    shortFiles: 3,
    singleUse: 1,
    filesInCycles: 2,
    cycles: [["c/ring-two.ts", "c/ring.ts"]],
    folders: [
      ["a", 3],
      ["c", 2],
      [".", 1],
    ],
  });
});
