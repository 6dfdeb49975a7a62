import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";

import fc from "fast-check";

import { readShell } from "../../../../src/calls/policy/shell/read-shell.ts";

const hasBash = existsSync("/bin/bash");
/** What texts are made of: every construct, whole and torn. */
const tokens = [
  ..."a b ~ * $x ! { } ( ) ; & && || | |& if then else elif fi do done while until esac time".split(
    " ",
  ),
  "echo x",
  "'q w'",
  '"d $y"',
  "$(a)",
  "$(",
  "<(a)",
  "$((1+2))",
  "${v:-w}",
  "$'x\\n'",
  "A=1",

  "for i in 1 2",
  "select s in 1",
  "case x in",
  "p)",
  ";;",
  "f()",
  "function g",
  "((",
  "))",
  "1+1",
  "> f",
  "< g",
  "2>&1",
  "<<E\nx\nE\n",
  "<<< w",
  "\n",
  "#c\n",
  "\\\n",
  "\\x",
  "'",
  '"',
  "[[ -f a ]]",
];
/** What bash would run too, but which is left to the user. */
const leftOpen =
  /known only when|reads its commands|arithmetic|continued within|behind a redirection|changes|time is not/;

/** Whether bash takes the text for commands; some mistakes it tells of and exits with 0. */
function isSyntaxFor(text: string): boolean {
  const run = Bun.spawnSync(["/bin/bash", "-n", "-c", "--", text], {
    stdin: "ignore",
    stderr: "pipe",
  });
  return (
    run.exitCode === 0 && !/syntax|unexpected|delimited|conditional/.test(run.stderr.toString())
  );
}

describe.skipIf(!hasBash)("readShell agrees with bash -n about what is syntax (U-policy)", () => {
  test("on random texts", () => {
    const texts = fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 8 });
    const property = fc.property(texts, (parts) => {
      const text = parts.join(" ");
      const unknowns = readShell(text, "/h").unknowns.filter((unknown) => !leftOpen.test(unknown));
      const isOpen = readShell(text, "/h").unknowns.length > unknowns.length;
      if (!isOpen) expect([text, unknowns.length === 0]).toEqual([text, isSyntaxFor(text)]);
    });
    fc.assert(property, { numRuns: 400 });
  }, 60_000);
});

describe("readShell (U-policy: hostile input)", () => {
  test("never throws, whatever the text", () => {
    const unit = fc.constantFrom(
      ...tokens,
      "`",
      "$",
      "\\",
      "\0",
      "\u{1F600}",
      "\uD800",
      "<<-",
      "${",
      "\t",
    );
    const property = fc.property(fc.array(unit, { maxLength: 40 }), (parts) => {
      for (const text of [parts.join(""), parts.join(" ")])
        expect(readShell(text, "/h").unknowns).toBeArray();
    });
    fc.assert(property, { numRuns: 2000 });
  });

  test.each([
    ..."( { $( ${ $(( (( ` ' \" \\ ~ * [ = ! | a| a; <<a <(a $' <<<".split(" "),
    "( ",
    "a=(",
    "if ",
    "[[ ",
    "case a in ",
    "for a in ",
    "env ",
    "eval ",
    "f()",
    "a<<b\n",
    '"$(',
    "\\`",
    "x\\\n",
    "!  ",
  ])("is done soon with very much of %j", (unit) => {
    // In quadratic time most of these would take longer than a test may.
    const text = unit.repeat(Math.floor(60_000 / unit.length));
    expect(readShell(text, "/h").unknowns).toBeArray();
  });
});
