import { describe, expect, test } from "bun:test";

import { evenTables } from "../../../../src/web/extract/blocks/judge-blocks.ts";
import { pageBlocks } from "./page-blocks.ts";

const round = (values: readonly number[]): number[] =>
  values.map((value) => Math.round(value * 100) / 100);
const long = "A cell that holds the text of the page. ".repeat(50);

describe("evenTables()", () => {
  test.each([
    [
      "cells of a table share one opinion",
      "<table><tr><td>aaaa<td>bbbb</table>",
      [0.8, 0.2],
      [0.5, 0.5],
    ],
    [
      "a table amid content rises",
      "<p>before<table><tr><td>aaaa<td>bbbb</table><p>after",
      [1, 0.6, 0.2, 1],
      [1, 0.7, 0.7, 1],
    ],
    [
      "a table amid something else does not sink",
      "<p>before<table><tr><td>aaaa<td>bbbb</table><p>after",
      [0, 0.6, 0.8, 0],
      [0, 0.7, 0.7, 0],
    ],
    ["blocks outside of tables stay", "<p>aaaa<p>bbbb", [0.8, 0.2], [0.8, 0.2]],
    [
      "a table around a table is a layout",
      "<table><tr><td>aaaa<td><table><tr><td>bbbb<td>cccc</table></table>",
      [0.9, 0.2, 0.4],
      [0.9, 0.6, 0.6],
    ],
    [
      "a table with a long cell is a layout",
      `<table><tr><td>aaaa<td>${long}</table>`,
      [0.1, 0.9],
      [0.1, 0.9],
    ],
  ])("%s", (_, html, opinions, expected) => {
    const { blocks } = pageBlocks(html);
    expect(round(evenTables(blocks, opinions))).toEqual(expected);
  });
});
