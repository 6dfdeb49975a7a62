import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { cleanText, textOf } from "../../../src/upstream/adapters/text-of.ts";

const bytes = (count: number): string => Buffer.alloc(count).toString("base64");
const text = (content: string): unknown => ({ type: "text", text: content });

describe("textOf", () => {
  test.each<[string, unknown, string]>([
    ["texts, joined", { content: [text("a"), text("b")] }, "a\nb"],
    [
      "an embedded text",
      { content: [{ type: "resource", resource: { uri: "x:y", text: "in" } }] },
      "in",
    ],
    [
      "an embedded file",
      {
        content: [
          { type: "resource", resource: { uri: "x:y", mimeType: "a/b", blob: bytes(2_400) } },
        ],
      },
      "[resource x:y a/b 2 kB]",
    ],
    [
      "a link with a title",
      { content: [{ type: "resource_link", uri: "x:y", name: "n", title: "The y" }] },
      "The y <x:y>",
    ],
    ["a link", { content: [{ type: "resource_link", uri: "x:y", name: "n" }] }, "n <x:y>"],
    [
      "an image",
      { content: [{ type: "image", mimeType: "image/png", data: bytes(12_345) }] },
      "[image image/png 12 kB]",
    ],
    [
      "a sound",
      { content: [{ type: "audio", mimeType: "audio/wav", data: bytes(999) }] },
      "[audio audio/wav 999 bytes]",
    ],
    [
      "much",
      { content: [{ type: "image", mimeType: "image/png", data: bytes(1_234_567) }] },
      "[image image/png 1.2 MB]",
    ],
    ["structured content alone", { content: [], structuredContent: { a: [1] } }, '{"a":[1]}'],
    [
      "an empty text beside structured content",
      { content: [text(" ")], structuredContent: 1 },
      "1",
    ],
    ["blanks", { content: [text(" ")] }, " "],
    ["text beside structured content", { content: [text("t")], structuredContent: {} }, "t"],
    ["nothing", { content: [] }, ""],
    ["no result", null, ""],
    ["content that is no list", { content: "x" }, ""],
    [
      "an unknown kind",
      { content: [{ type: "hologram" }] },
      '[content of the unknown kind "hologram"]',
    ],
    ["no block", { content: [5] }, "[content of an unknown kind]"],
    ["an image without data", { content: [{ type: "image" }] }, "[image without data]"],
  ])("%s", (_name, result, expected) => {
    expect(textOf(result)).toBe(expected);
  });

  test("takes any value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => typeof textOf(value) === "string"),
      { numRuns: 300 },
    );
  });
});

describe("cleanText", () => {
  test.each([
    ["\u001b[31mred\u001b[0m", "red"],
    ["\u009b1;31mred", "red"],
    ["a\u001b]52;c;ZXZpbA==\u0007b", "ab"],
    ["a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "alink"],
    ["a\u009d0;title\u009cb", "ab"],
    ["a\u001bPq#0\u001b\\b", "ab"],
    ["a\u001b(Bb\u001bcd", "abd"],
    // Without an end its text stays: else one character would hide all that follows.
    ["a\u001b]52;rest", "a52;rest"],
    ["a\u001b[", "a"],
    ["tab\tline\r\nnext\u0000\u0085\u007f", "tab\tline\nnext"],
    ["\ud800x\udc00", "\ufffdx\ufffd"],
    ["é 😀 ‮", "é 😀 ‮"],
  ])("%j becomes %j", (dirty, clean) => {
    expect(cleanText(dirty)).toBe(clean);
  });

  test.each(["\u001b]", "\u009d", "\u001b[", "\u001b[1;", "\u001bP\u001b", "\u001b"])(
    "a million characters of %j are cleaned in one pass",
    (part) => {
      // Quadratic time would not end before the test does.
      expect(cleanText(part.repeat(1_000_000 / part.length))).not.toContain("\u001b");
    },
  );
});
