import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { skillFilledCharsMax } from "../../../src/base/limits.ts";
import { fillArguments, splitWords } from "../../../src/state/skills/fill-arguments.ts";

describe("splitWords()", () => {
  test.each<[string, string[]]>([
    ["a b  c", ["a", "b", "c"]],
    ["'a b' \"c d\" e", ["a b", "c d", "e"]],
    ["a'b c'd", ["ab cd"]],
    ['"a \\"b\\" $x \\n"', ['a "b" $x \\n']],
    ["a\\ b c\\\\", ["a b", "c\\"]],
    ["'it\\'s", ["it\\s"]],
    ['"open to the end', ["open to the end"]],
    ["'' a", ["", "a"]],
    ["$(rm -rf /) `x` *", ["$(rm", "-rf", "/)", "`x`", "*"]],
    ["a\nb\tc", ["a", "b", "c"]],
    ["", []],
  ])("%j", (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  test("quoted as a shell quotes, words come back", () => {
    const word = fc.string();
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (words) => {
        const quoted = words.map((each) => `'${each.replaceAll("'", `'"'"'`)}'`).join(" ");
        expect(splitWords(quoted)).toEqual(words);
      }),
    );
  });

  test("long hostile text is split in one pass", () => {
    for (const text of [
      "'".repeat(100_000),
      '"\\'.repeat(50_000),
      "\\".repeat(100_001),
      "a".repeat(1e6),
    ]) {
      splitWords(text);
    }
  });
});

describe("fillArguments()", () => {
  test.each([
    ["Fix $ARGUMENTS.", "a 'b c'", "Fix a 'b c'."],
    ["$1 to $2, not $3.", "a 'b c'", "a to b c, not $3."],
    ["$2 $1 $1", "x y", "y x x"],
    ["$ARGUMENTS", "$1 $ARGUMENTS", "$1 $ARGUMENTS"],
    ["$1-$2", "$2 b", "$2-b"],
    ["$1", "`id` b", "`id`"],
    ["It costs $10, or $1.50, or $5x.", null, "It costs $10, or $1.50, or $5x."],
    ["$ARGUMENTS_FILE", "a", "$ARGUMENTS_FILE\n\nARGUMENTS: a\n"],
    ["Fix $1 and $ARGUMENTS!", null, "Fix $1 and $ARGUMENTS!"],
    ["only $2", "a", "only $2\n\nARGUMENTS: a\n"],
    ["`$ARGUMENTS` and `$1`", "a b", "`a b` and `$1`"],
    ["`$ARGUMENTS[1]` and `$1`, $1", "a b", "`b` and `$1`, a"],
    ["Run `$1`.", "a b", "Run `a`."],
    ["`awk '{ print $1 }' $1`", "a", "`awk '{ print $1 }' a`"],
    ["awk '{ print $1 }' is prose", "a", "awk '{ print a }' is prose"],
    ["\\$1 and \\$ARGUMENTS and $1", "a", "\\$1 and \\$ARGUMENTS and a"],
    ["$$1 is $1", "a", "$$1 is a"],
    ["$0, then $1 of $9; `$0`", "a b", "a, then b of $9; `a`"],
    ["`$0 $1`", "a b", "`$0 a`"],
    ["Fix it.\n", "a b", "Fix it.\n\nARGUMENTS: a b\n"],
    ["Fix it.\n", "  ", "Fix it.\n"],
    ["$&$'$`$1", "a", "$&$'$`a"],
  ])("%j with %j", (body, given, filled) => {
    expect(fillArguments(body, given)).toBe(filled);
  });

  test.each<[string, readonly string[], string]>([
    ["$file and $files, `$file`, `$1`", ["file"], "a and $files, `a`, `a`"],
    ["$a-b, $a", ["a", "a-b"], "b, a"],
    ["all of `$ARGUMENTS`: `$2`, $mode", ["file", "mode"], "all of `a b`: `b`, b"],
    ["$third", ["first", "second", "third"], "$third\n\nARGUMENTS: a b\n"],
  ])("%j, whose front matter names %j", (body, names, filled) => {
    expect(fillArguments(body, "a b", names)).toBe(filled);
  });

  const runs = Array.from({ length: 700 }, (_, length) => "`".repeat(length)).join(" ");

  test.each([
    ["`".repeat(200_000)],
    ["` ".repeat(100_000)],
    [runs],
    ["awk '".repeat(50_000)],
    ["awk ".repeat(60_000)],
    ["$2".repeat(100_000)],
    ["```\n".repeat(60_000)],
  ])("a hostile text takes no time to speak of: %#", (text) => {
    expect(fillArguments(text, "a")).toBe(`${text.trimEnd()}\n\nARGUMENTS: a\n`);
  });

  const much = "x".repeat(skillFilledCharsMax / 2);

  test.each([
    ["many placeholders", "$ARGUMENTS ".repeat(20_000), much],
    ["long arguments", "Fix it.", much + much],
    ["three times the same word", "$1 $1 $1", much],
  ])("a text that would grow without bounds is refused: %s", (_, body, given) => {
    expect(() => fillArguments(body, given)).toThrow("Pass shorter arguments");
  });
});
