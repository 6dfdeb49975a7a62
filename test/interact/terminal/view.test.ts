import { expect, test } from "bun:test";

import { Painter } from "../../../src/interact/terminal/view.ts";

/** The rows that a frame writes. */
function rowsOf(text: string): string[] {
  // eslint-disable-next-line no-control-regex -- what the painter writes
  return [...text.matchAll(/\u001b\[(\d+);1H\u001b\[2K([^\u001b]*)/g)].map(
    ([, row, line]) => `${row}:${line}`,
  );
}

test("the first frame is whole, later ones are what has changed, each in one write", () => {
  const frames: string[] = [];
  const painter = new Painter((text) => frames.push(text));
  painter.paint(["a", "b", "c"]);
  painter.paint(["a", "B", "c"]);
  painter.paint(["a", "B", "c"]);
  painter.forget();
  painter.paint(["a", "B", "c"]);
  painter.paint(["a", "B"]);
  expect(frames.map(rowsOf)).toEqual([
    ["1:a", "2:b", "3:c"],
    ["2:B"],
    ["1:a", "2:B", "3:c"],
    ["1:a", "2:B"],
  ]);
  expect(frames.map((frame) => frame.includes("\u001b[2J"))).toEqual([true, false, true, true]);
});
