import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { shownFact, shownLines, sizeText } from "../../../src/calls/policy/consent/shown-text.ts";
import { questionForm } from "../../../src/interact/questions/ask-by-form.ts";
import { drawForm } from "../../../src/interact/terminal/form-window.ts";
import { createLook } from "../../../src/interact/terminal/cells.ts";
import { QuestionForm } from "../../../src/interact/terminal/question-form.ts";
import type { QuestionsRequest } from "../../../src/tools/state-services.ts";
import { StageHarness } from "./stage-harness.ts";

const goldenDir = join(import.meta.dir, "../../golden/consent");

const forgedFacts =
  "Folder: /safe\nSandbox: read-only (bubblewrap), no network\nAsked because of: rule 1";
const hostile: readonly [name: string, command: string, folder: string][] = [
  ["forged-facts", `ls\n\n${forgedFacts}\n${"\n".repeat(60)}rm -rf ~/x`, "/work"],
  [
    "long-line",
    `ls ${" ".repeat(300)}Folder: /safe ${"x".repeat(200)} 数据${"字".repeat(80)}`,
    "/work",
  ],
  ["empty-looking", `ls\n${"\u3164\n\u00a0\u2800\n\t\n".repeat(9)}rm x\r\nhidden\rshown`, "/work"],
  [
    "own-signs",
    "│ ls\n┆ ls\n(60 empty lines)\n\n(7 characters not shown here)\nCommand (1 line):",
    "/work",
  ],
  ["marks", `ls a${"\u0301".repeat(40)} \u202edcba \u001b[2J\u0007`, "/work"],
  ["folder", "ls", `/work\nSandbox: read-only${" ".repeat(90)}Reason: fine`],
];

/** What the client is sent, in both eras, and what an attached terminal draws, wide and narrow. */
async function seenOf(command: string, folder: string): Promise<string> {
  const rule = { tool: "Bash", match: "ls", action: "ask", reason: "private\nSandbox: none" };
  const harness = new StageHarness([rule]);
  await harness.check(command, { folder });
  const [request] = harness.requests;
  if (request === undefined) throw new Error("nothing was asked");
  const form = questionForm(request);
  return [
    "elicitation/create, and in input_required:",
    form.params.message,
    "",
    ...[80, 30].flatMap((width) => [`attach, ${width} columns:`, ...drawn(request, width), ""]),
  ].join("\n");
}

function drawn(request: QuestionsRequest, width: number): readonly string[] {
  const form = new QuestionForm({ questions: request.questions, purpose: request.purpose });
  return drawForm(form, width, createLook(false, true)).lines.map((line) => line.trimEnd());
}

describe("the question for consent", () => {
  test.each(hostile)(
    "%s looks as its golden file says (UPDATE_GOLDEN=1 writes it)",
    async (name, command, folder) => {
      const file = join(goldenDir, `${name}.txt`);
      const seen = await seenOf(command, folder);
      if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, seen);
      expect(seen).toBe(readFileSync(file, "utf8"));
    },
  );

  test.each(hostile)("%s: nothing of the command stands without a gutter", async (_, command) => {
    const harness = new StageHarness([{ tool: "Bash", match: "ls", action: "ask" }]);
    await harness.check(command);
    const lines = harness.requests[0]?.questions[0]?.question.split("\n") ?? [];
    const ours =
      /^(?:|Run this command with Bash\?|Folder: \/work|Sandbox: none, it may do all that you may|Asked because of:(?: rule 1 of P)?|[12]\. rule 1 of P: .*|Reason: (?:it|cannot) .*|Command \([\d,]+ lines?, [\d,]+ characters?\):|\([\d,]+ (?:empty lines?|characters? not shown here)\))$/;
    expect(lines.filter((line) => !/^[│┆] /.test(line) && !ours.test(line))).toEqual([]);
    expect(lines.findIndex((line) => line.startsWith("Folder:"))).toBe(2);
  });
});

test.each<[text: string, max: number, lines: readonly string[]]>([
  ["a\nb", 100, ["│ a", "│ b"]],
  ["a\n\nb", 100, ["│ a", "(1 empty line)", "│ b"]],
  ["a\r\n\r\n\r\nb\n", 100, ["│ a", "(2 empty lines)", "│ b", "(1 empty line)"]],
  ["x".repeat(72), 100, [`│ ${"x".repeat(72)}`]],
  ["x".repeat(73), 100, [`│ ${"x".repeat(72)}`, "┆ x"]],
  ["abcd", 4, ["│ abcd"]],
  ["abcde", 4, ["│ ab", "(1 character not shown here)", "│ de"]],
])("shownLines(%j, %d)", (text, max, lines) => {
  expect(shownLines(text, max)).toEqual(lines);
});

test.each([
  ["a  b\nc", String.raw`a \u{20}b\u{a}c`],
  ["x".repeat(1_002), `${"x".repeat(1_000)} (2 characters not shown here)`],
])("shownFact(%j)", (text, line) => {
  expect(shownFact(text)).toBe(line);
});

test("sizeText()", () => {
  expect(["", "a", "a\r\nb"].map(sizeText)).toEqual([
    "1 line, 0 characters",
    "1 line, 1 character",
    "2 lines, 4 characters",
  ]);
});
