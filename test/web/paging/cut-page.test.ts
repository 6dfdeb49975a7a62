import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { cutPage, type CutPage, type PagedSyntax } from "../../../src/web/paging/cut-page.ts";
import { pageNote, pageNoteCharsMax } from "../../../src/web/reading/shown-page.ts";

const room = (charsMax: number) => ({ charsMax, bytesMax: charsMax * 1.5 });

/** All pages, each begun where the one before ended. */
function pagesOf(text: string, charsMax: number, syntax: PagedSyntax = "markdown"): CutPage[] {
  const pages: CutPage[] = [];
  let start = 0;
  do {
    const page = cutPage(text, start, room(charsMax), syntax);
    expect(page.end).toBeGreaterThan(page.start);
    pages.push(page);
    start = page.end;
  } while (start < text.length);
  return pages;
}

const shown = (text: string, charsMax: number): string[] =>
  pagesOf(text, charsMax).map(({ content }) => content);

describe("cutPage()", () => {
  const rows: [name: string, text: string, charsMax: number, pages: string[]][] = [
    ["a text that fits is one page", "# A\n\nb\n", 50, ["# A\n\nb\n"]],
    ["a text of just the size of a page is one", "a".repeat(40), 40, ["a".repeat(40)]],
    [
      "cuts between blocks, not in the next paragraph",
      `${"a".repeat(30)}\n\nb\nc\n\n${"d".repeat(30)}`,
      42,
      [`${"a".repeat(30)}\n\nb\nc\n\n`, "d".repeat(30)],
    ],
    [
      "closes code and opens it again with its language",
      "```js\none();\ntwo();\nthree();\nfour();\nfive();\n```\n",
      32,
      ["```js\none();\ntwo();\nthree();\n```", "```js\nfour();\nfive();\n```\n"],
    ],
    [
      "repeats the header of a table",
      "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n| 7 | 8 |\n",
      56,
      [
        "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n",
        "| A | B |\n| --- | --- |\n| 7 | 8 |\n",
      ],
    ],
    [
      "keeps the indent of code in a list",
      "- item\n\n  ````sh\n  a\n  ```\n  bcdefghij\n  klmnopqr\n  ````\n",
      46,
      ["- item\n\n  ````sh\n  a\n  ```\n  bcdefghij\n  ````", "  ````sh\n  klmnopqr\n  ````\n"],
    ],
    [
      "cuts a line that is longer than a page between words",
      "alpha beta gamma delta",
      12,
      ["alpha beta ", "gamma delta"],
    ],
    [
      "leaves out a header that would take most of the page",
      `| ${"n".repeat(30)} | B |\n| --- | --- |\n| ${"1".repeat(30)} |\n| ${"2".repeat(30)} |\n`,
      88,
      [
        `| ${"n".repeat(30)} | B |\n| --- | --- |\n| ${"1".repeat(30)} |\n`,
        `| ${"2".repeat(30)} |\n`,
      ],
    ],
    ["never parts a surrogate pair", "😀😀😀", 3, ["😀", "😀", "😀"]],
  ];
  test.each(rows)("%s", (_name, text, charsMax, pages) => {
    expect(shown(text, charsMax)).toEqual(pages);
  });

  test("counts bytes as well as characters", () => {
    const [first] = pagesOf("漢".repeat(100), 60);
    expect(first?.end).toBe(30);
  });

  test.each([
    ["a paragraph", "Short.\n\n" + "word ".repeat(1_000)],
    ["a line of code", "```json\n{\n" + '"a": 1, '.repeat(1_000) + "\n```"],
    ["a script of three bytes", "Short.\n\n" + "漢字".repeat(1_000)],
  ])("%s longer than a page begins on the page before", (_name, text) => {
    const { end, content } = cutPage(text, 0, { charsMax: 400, bytesMax: 600 }, "markdown");
    expect(Buffer.byteLength(content)).toBeGreaterThan(200);
    expect(content.length).toBeLessThanOrEqual(400);
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(600);
    const next = cutPage(text, end, { charsMax: 400, bytesMax: 600 }, "markdown");
    expect(next.start).toBe(end);
    expect(next.end).toBeGreaterThan(end);
  });

  test("a start in the middle of a character begins with that character", () => {
    expect(cutPage("😀a", 1, room(10), "plain")).toEqual({ start: 0, end: 3, content: "😀a" });
  });

  test.each([
    ["white space in what begins as a table", `a|b\n|-${" ".repeat(1_000_000)}x`],
    ["white space", " ".repeat(1_000_000)],
    ["signs of fences", "`".repeat(1_000_000)],
    ["signs of lists", "- ".repeat(500_000)],
    ["rules", "|-".repeat(500_000)],
    ["line ends", "\n".repeat(300_000)],
  ])("is done with endless %s", (_name, text) => {
    expect(pagesOf(text, 100_000).length).toBeGreaterThan(1);
  });

  const line = fc.oneof(
    fc.constantFrom("", "", "```", "```js", "````", "~~~", "| a | b |", "| --- | --- |", "# h"),
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.string({ unit: fc.constantFrom("`", "|", "-", " ", ">", "x", "\n", "😀"), maxLength: 30 }),
  );
  const text = fc.array(line, { maxLength: 60 }).map((lines) => lines.join("\n"));
  const syntax = fc.constantFrom<PagedSyntax>("markdown", "html", "plain");

  test("pages join to the text without gap or overlap, and each fits", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 160, max: 400 }), syntax, (text, charsMax, syntax) => {
        if (text === "") return;
        const pages = pagesOf(text, charsMax, syntax);
        expect(pages.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
        for (const { content } of pages) {
          expect(content.length).toBeLessThanOrEqual(charsMax);
          expect(content.isWellFormed() || !text.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  const code = fc.array(fc.constantFrom("x = 1", "", "``", "long ".repeat(9)), { maxLength: 40 });

  test("every page of fenced code has an even number of fences", () => {
    fc.assert(
      fc.property(fc.array(code, { maxLength: 6 }), (blocks) => {
        const text = blocks
          .map((lines) => `\`\`\`py\n${lines.join("\n")}\n\`\`\`\n\ntext\n`)
          .join("\n");
        if (text === "") return;
        for (const { content } of pagesOf(text, 120)) {
          expect((content.match(/^```/gm) ?? []).length % 2).toBe(0);
        }
      }),
    );
  });
});

describe("pageNote()", () => {
  test("says what is shown and how to go on", () => {
    const note = pageNote({ start: 0, end: 28_114, content: "" }, 91_870);
    expect(note).toBe("[truncated: characters 0–28,114 of 91,870; call again with start=28114]");
  });

  test("is absent on the last page", () => {
    expect(pageNote({ start: 5, end: 10, content: "" }, 10)).toBeUndefined();
  });

  test("is as long as it may be at most with the largest numbers", () => {
    const large = 100 * 1024 * 1024;
    const note = pageNote({ start: large, end: large + 1, content: "" }, large * 2) ?? "";
    expect(note.length).toBeLessThanOrEqual(pageNoteCharsMax);
  });
});
