import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { skillFilledCharsMax } from "../../src/base/limits.ts";
import { fillArguments } from "../../src/skills/fill-arguments.ts";
import { splitWords } from "../../src/skills/split-words.ts";
import { atThisLoad } from "../fixtures/at-this-load.ts";

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

  test("long hostile text is split in a moment", () => {
    const startedAt = performance.now();
    for (const text of [
      "'".repeat(100_000),
      '"\\'.repeat(50_000),
      "\\".repeat(100_001),
      "a".repeat(1e6),
    ]) {
      splitWords(text);
    }
    expect(performance.now() - startedAt).toBeLessThan(atThisLoad(1_000));
  });
});

describe("fillArguments()", () => {
  test.each([
    ["Fix $ARGUMENTS.", "a 'b c'", "Fix a 'b c'."],
    ["$1 to $2, not $3.", "a 'b c'", "a to b c, not ."],
    ["$2 $1 $1", "x y", "y x x"],
    ["$ARGUMENTS", "$1 $ARGUMENTS", "$1 $ARGUMENTS"],
    ["$1-$2", "$2 b", "$2-b"],
    ["$1", "`id` b", "`id`"],
    ["It costs $10, or $1.50, or $5x.", null, "It costs $10, or $1.50, or $5x."],
    ["$ARGUMENTS_FILE $0", "a", "$ARGUMENTS_FILE $0\n\nARGUMENTS: a\n"],
    ["Fix $1 and $ARGUMENTS!", null, "Fix  and !"],
    ["Fix it.\n", "a b", "Fix it.\n\nARGUMENTS: a b\n"],
    ["Fix it.\n", "  ", "Fix it.\n"],
    ["$&$'$`$1", "a", "$&$'$`a"],
  ])("%j with %j", (body, given, filled) => {
    expect(fillArguments(body, given)).toBe(filled);
  });

  const much = "x".repeat(skillFilledCharsMax / 2);

  test.each([
    ["many placeholders", "$ARGUMENTS ".repeat(20_000), much],
    ["long arguments", "Fix it.", much + much],
    ["three times the same word", "$1 $1 $1", much],
  ])("a text that would grow without bounds is refused: %s", (_, body, given) => {
    expect(() => fillArguments(body, given)).toThrow("Give shorter arguments");
  });
});
