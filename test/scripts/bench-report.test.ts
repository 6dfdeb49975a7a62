import { describe, expect, test } from "bun:test";
import { comparisonTables } from "../../scripts/bench/report/comparison-tables.ts";
import {
  emptyDocument,
  fillDocument,
  replaceSection,
} from "../../scripts/bench/report/document.ts";
import { machineLine } from "../../scripts/bench/report/machine-line.ts";
import { noteLines } from "../../scripts/bench/report/notes.ts";
import { formatNumber } from "../../scripts/bench/report/numbers.ts";
import { injectBetweenMarkers, readmeFigures } from "../../scripts/bench/report/readme.ts";
import { targetTable } from "../../scripts/bench/report/target-table.ts";
import { isRunResult } from "../../scripts/bench/result.ts";
import { judge } from "../../scripts/bench/judge-targets.ts";
import type { Target } from "../../scripts/bench/targets.ts";
import { sampleRun } from "./bench-sample.ts";

const run = sampleRun({
  floor_echo: { initializeMs: 0.6, idlePrivateMb: 0.1 },
  floor_bash: { initializeMs: 0.5, shellMs: 1.1, shell16PerSecond: 1300 },
  scorpiox: { initializeMs: 5.5, shellMs: 1.2, shell16PerSecond: 1430, idlePrivateMb: 6.04 },
  sdk2_bun: { initializeMs: 30, idlePrivateMb: 12 },
});

describe("targetTable()", () => {
  const initialize: Target = {
    floor: ["floor_echo", "floor_bash"],
    least: "bare_bun",
    peers: ["sdk2_bun"],
    difference: "linking",
    figure: "start",
    server: "scorpiox",
    metric: "initializeMs",
    bound: { kind: "multiple", is: "at most", factor: 12, of: ["floor_echo", "floor_bash"] },
  };
  const rows: readonly Target[] = [
    initialize,
    {
      ...initialize,
      figure: "beside the SDK",
      bound: { kind: "multiple", is: "at most", factor: 1 / 3, of: ["sdk1_bun", "sdk2_bun"] },
    },
    {
      ...initialize,
      figure: "shell",
      metric: "shellMs",
      bound: { kind: "multiple", is: "at most", factor: 0.6, of: ["floor_bash"] },
      stretch: true,
    },
    {
      ...initialize,
      figure: "memory",
      metric: "idlePrivateMb",
      bound: { kind: "value", is: "at most", value: 6 },
    },
    { figure: "replacement", server: "faulty", metric: "loopReplacementMs" },
  ];

  test("says for each figure what is asked, what was measured and whether it is met", () => {
    const table = targetTable(rows.map((target) => judge(target, run)));
    expect(table.split("\n")).toEqual([
      "<!-- prettier-ignore -->",
      "| figure | floor | least program | ours | peer | target | ratio | met? | what the difference consists of |",
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
      "| start | 0.5 ms | – | 5.5 ms | 30 ms | ≤ 12 × C floor | 11 × | yes | linking |",
      "| beside the SDK | 0.5 ms | – | 5.5 ms | 30 ms | ≤ 1/3 × best official SDK, Bun-compiled | 0.18 × | yes | linking |",
      "| shell | 1.1 ms | – | 1.2 ms | – | ≤ 0.6 × C floor, bash (wish) | 1.09 × | no | linking |",
      "| memory | 0.1 MB | – | 6 MB | 12 MB | ≤ 6 MB | 1.01 × | **no** | linking |",
      "| replacement | – | – | – | – | – | – | not measured | – |",
    ]);
  });
});

test("comparisonTables() shows what was measured, with the ratio to the better floor", () => {
  const lines = comparisonTables(run).split("\n");
  expect(lines.filter((line) => !line.includes("--"))).toMatchInlineSnapshot(`
      [
        "### Start and memory",
        "",
        "| server | initialize | idle private |",
        "| C floor, echo | 0.6 ms | 0.1 MB |",
        "| C floor, bash | 0.5 ms | – |",
        "| scorpiox-code | 5.5 ms (11 ×) | 6 MB |",
        "| official SDK v2, Bun-compiled | 30 ms (60 ×) | 12 MB |",
        "",
        "### Shell tool",
        "",
        "| server | \`echo hi\` | 16 at once, calls/s |",
        "| C floor, bash | 1.1 ms | 1300 |",
        "| scorpiox-code | 1.2 ms (1.09 ×) | 1430 (1.1 ×) |",
      ]
    `);
});

describe("machineLine()", () => {
  test("names machine, versions, load, day and duration", () => {
    expect(machineLine(run)).toBe(
      "2 cores (Test CPU, x64), Linux 6.1.0, Bun 1.4.5, Node 20.1.0; load 0.10 0.20 0.30; 2026-01-02, 61 s.",
    );
  });

  test("warns of a busy machine", () => {
    const busy = { ...run, machine: { ...run.machine, load: [1.5, 1, 1] } };
    expect(machineLine(busy)).toEndWith("The machine was busy: read the ratios only.");
  });
});

test("noteLines() tells what was skipped and what failed", () => {
  const noted = sampleRun(
    {},
    {
      servers: { commands: { metrics: {}, notes: ["output: the call failed"] } },
      skipped: { faulty: "there is no dist/test/scorpiox-faulty" },
    },
  );
  expect(noteLines(noted)).toEqual([
    "- scorpiox-code, faulty tools: skipped: there is no dist/test/scorpiox-faulty",
    "- mcp-server-commands: output: the call failed",
  ]);
});

describe("the document", () => {
  test("a second run replaces the figures of the first and nothing else", () => {
    const first = fillDocument(emptyDocument, run);
    const handWritten = `${first}\n## Own section\n\nkept\n`;
    const slower = sampleRun({ scorpiox: { initializeMs: 777 } });
    const second = fillDocument(handWritten, slower);
    expect(second).toContain("777 ms");
    expect(second).not.toContain("5.5 ms");
    expect(second).toEndWith("\n## Own section\n\nkept\n");
    expect(fillDocument(second, run)).toBe(fillDocument(handWritten, run));
  });

  test("replaceSection() keeps what stands around the section", () => {
    const document = "# T\n\n## A\n\nold\n\n### inner\n\n## B\n\nb\n";
    expect(replaceSection(document, "A", "new")).toBe("# T\n\n## A\n\nnew\n\n## B\n\nb\n");
  });

  test("replaceSection() replaces the last section", () => {
    expect(replaceSection("# T\n\n## A\n\nold\n", "A", "new")).toBe("# T\n\n## A\n\nnew\n");
  });

  test("replaceSection() names a heading that is missing", () => {
    expect(() => replaceSection("# T\n", "A", "new")).toThrow('no heading "## A"');
  });
});

describe("the README", () => {
  test("the figures replace what stands between the markers", () => {
    const readme = "before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n";
    const once = "before\n<!-- bench:begin -->\n\nnew\n\n<!-- bench:end -->\nafter\n";
    expect(injectBetweenMarkers(readme, "new")).toBe(once);
    expect(injectBetweenMarkers(once, "new")).toBe(once);
  });

  test.each([
    ["no marker", "text"],
    ["only the first", "<!-- bench:begin -->"],
    ["only the second", "<!-- bench:end -->"],
    ["the wrong order", "<!-- bench:end --><!-- bench:begin -->"],
  ])("%s: the README stays as it is", (_, readme) => {
    expect(injectBetweenMarkers(readme, "new")).toBeUndefined();
  });

  test("a figure that was not measured is a dash", () => {
    const row = readmeFigures(run).split("\n")[3];
    expect(row).toBe("| start, until `initialize` is answered | 5.5 ms | 30 ms | – | 0.6 ms |");
  });
});

test.each([
  [0, "0"],
  [0.0042, "0.004"],
  [0.05, "0.05"],
  [0.583, "0.58"],
  [1, "1"],
  [5.49, "5.5"],
  [10, "10"],
  [19.96, "20"],
  [104.4, "104"],
  [1240.2, "1240"],
  [159_400, "159 k"],
])("formatNumber(%p) is %p", (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test.each([
  ["a run", JSON.parse(JSON.stringify(run)), true],
  ["another object", { servers: {} }, false],
  ["no object", null, false],
])("isRunResult() of %s", (_, value, expected) => {
  expect(isRunResult(value)).toBe(expected);
});
