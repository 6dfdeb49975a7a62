import { expect, test } from "bun:test";

import { rememberedTextCharsMax, rememberedTextsMax } from "../../src/base/limits.ts";
import { remembered } from "../../src/base/shared-work.ts";

function counted(): { lengthOf: (text: string) => number | undefined; asked: string[] } {
  const asked: string[] = [];
  const lengthOf = remembered((text) => {
    asked.push(text);
    return text === "" ? undefined : text.length;
  });
  return { lengthOf, asked };
}

test.each([
  ["a text", "abc", 1],
  ["an answer that is undefined", "", 1],
  ["the longest text", "x".repeat(rememberedTextCharsMax), 1],
  ["a longer one", "x".repeat(rememberedTextCharsMax + 1), 2],
])("remembered() asked twice about %s", (_, text, times) => {
  const { lengthOf, asked } = counted();
  expect([lengthOf(text), lengthOf(text)]).toEqual(
    text === "" ? [undefined, undefined] : [text.length, text.length],
  );
  expect(asked).toHaveLength(times);
});

test.each([
  [rememberedTextsMax, false],
  [rememberedTextsMax + 1, true],
])("remembered() after %d texts has forgotten the first: %p", (count, isForgotten) => {
  const { lengthOf, asked } = counted();
  for (let index = 0; index < count; index++) lengthOf(`text ${index}`);
  asked.length = 0;
  lengthOf("text 0");
  expect(asked).toEqual(isForgotten ? ["text 0"] : []);
});
