import { describe, expect, test } from "bun:test";

import {
  parseHtml,
  findElement,
  findElements,
  walkElements,
} from "../../../src/web/dom/parse-html.ts";

const document = parseHtml("<ul><li id=a><b id=b></b></li><li id=c></li></ul><p id=d></p>");
const hasId = ({ attribs }: { attribs: Record<string, string> }): boolean => "id" in attribs;

describe("walkElements()", () => {
  test("goes in the order of the document, past what it is told to pass", () => {
    const seen: string[] = [];
    walkElements(document, (element) => {
      const { id } = element.attribs;
      if (id !== undefined) seen.push(id);
      return id === "a" ? "past" : "into";
    });
    expect(seen).toEqual(["a", "c", "d"]);
  });
});

test("findElement() gives the first, or undefined", () => {
  expect(findElement(document, hasId)?.attribs["id"]).toBe("a");
  expect(findElement(document, ({ name }) => name === "table")).toBeUndefined();
});

test("findElements() gives all in order", () => {
  expect(findElements(document, hasId).map(({ attribs }) => attribs["id"])).toEqual([
    "a",
    "b",
    "c",
    "d",
  ]);
});
