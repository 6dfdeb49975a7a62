import { expect, test } from "bun:test";

import { codeRanges } from "../../../src/state/skills/fill-arguments.ts";

test.each<[string, string[]]>([
  ["no code", []],
  ["a `b` c ``d ` e`` f", ["`b`", "``d ` e``"]],
  ["a ` lone one", []],
  ["one `\n\nthe other `", []],
  ["- one `\n- the other `", []],
  ["over `two\nlines` of it", ["`two\nlines`"]],
  ["an escaped \\` is none `", []],
  ["```\na\n```\nb", ["```\na\n```\n"]],
  ["````sh\n```\n````", ["````sh\n```\n````"]],
  ["~~~\n`a\n~~~ \nb`c`", ["~~~\n`a\n~~~ \n", "`c`"]],
  ["- > ```\n  > a\n  > ```\nb", ["- > ```\n  > a\n  > ```\n"]],
  ["1. ```\n   a\n   ```", ["1. ```\n   a\n   ```"]],
  ["```a`b``` c", ["```a`b```"]],
  ["```\nopen to the end\n", ["```\nopen to the end\n"]],
  ["", []],
])("codeRanges() of %j", (text, code) => {
  expect(codeRanges(text).map(({ start, end }) => text.slice(start, end))).toEqual(code);
});
