import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { cursorCharsMax } from "../../src/base/limits.ts";
import { cutListPage, type PagedList } from "../../src/protocol/list-parts.ts";

function listOf(entries: readonly string[], name = "list"): PagedList<string> {
  return { name, entries, keyOf: (entry) => entry };
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n}`);

/** The cursor of the second page. */
function secondCursor(list: PagedList<string>, entriesMax = 2): string {
  return cutListPage(list, undefined, entriesMax)?.nextCursor ?? "none";
}

describe("cutListPage()", () => {
  test.each([
    [0, [[]]],
    [1, [["0"]]],
    [2, [["0", "1"]]],
    [3, [["0", "1"], ["2"]]],
    [
      4,
      [
        ["0", "1"],
        ["2", "3"],
      ],
    ],
    [5, [["0", "1"], ["2", "3"], ["4"]]],
  ])("cuts %d entries into pages of two", (count, pages) => {
    const seen: (readonly string[])[] = [];
    let cursor: string | undefined;
    do {
      // Another array each time, as providers give.
      const page = cutListPage(listOf(numbers(count)), cursor, 2);
      seen.push(page?.items ?? ["unknown cursor"]);
      cursor = page?.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(pages);
  });

  test.each([
    [""],
    ["x"],
    [null],
    [0],
    [{}],
    ["x".repeat(cursorCharsMax + 1)],
    [Buffer.from("1:2:").toString("base64url")],
    [Buffer.from("1:2:nonsense:list").toString("base64url")],
    [`${secondCursor(listOf(numbers(5)))}=`],
    [`${secondCursor(listOf(numbers(5)))} `],
    [`${secondCursor(listOf(numbers(5)))}A`],
    [secondCursor(listOf(numbers(6)))],
    [secondCursor(listOf(["1", "0", "2", "3", "4"]))],
    [secondCursor(listOf(numbers(5), "other"))],
    [secondCursor(listOf(numbers(5)), 3)],
  ])("does not know the cursor %j", (cursor) => {
    expect(cutListPage(listOf(numbers(5)), cursor, 2)).toBeUndefined();
  });

  test("a cursor is worth nothing on a list of one page", () => {
    expect(cutListPage(listOf(numbers(2)), secondCursor(listOf(numbers(5))), 2)).toBeUndefined();
  });

  test("is opaque: base64url, within the bound for long lists and names", () => {
    const cursor = secondCursor(listOf(numbers(10_000), "resources"), 100);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(cursor.length).toBeLessThan(cursorCharsMax);
  });

  test("property: every entry is on exactly one page, in order", () => {
    const lists = fc.uniqueArray(fc.string(), { maxLength: 60 });
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 20 }), (entries, entriesMax) => {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = cutListPage(listOf([...entries]), cursor, entriesMax);
          if (page === undefined) return false;
          seen.push(...page.items);
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        return seen.join("\0") === entries.join("\0");
      }),
    );
  });

  test("property: nothing but a cursor that was given out is taken", () => {
    const list = listOf(numbers(7));
    const given = new Set([secondCursor(list)]);
    for (const cursor of given) {
      const next = cutListPage(list, cursor, 2)?.nextCursor;
      if (next !== undefined) given.add(next);
    }
    fc.assert(
      fc.property(fc.anything(), (cursor) => {
        fc.pre(cursor !== undefined && !(typeof cursor === "string" && given.has(cursor)));
        return cutListPage(list, cursor, 2) === undefined;
      }),
    );
  });
});
