import { expect, test } from "bun:test";

import { Selection } from "../../../src/interact/terminal/view.ts";

const rows = "abcdefghij".split("");

function pressed(...names: string[]): Selection<string> {
  const selection = new Selection<string>((row) => row);
  selection.window(rows, 4);
  for (const name of names) {
    selection.press({ name, text: "" }, rows);
    selection.window(rows, 4);
  }
  return selection;
}

test.each<[keys: string[], chosen: string, window: [from: number, to: number]]>([
  [[], "a", [0, 4]],
  [["up"], "a", [0, 4]],
  [["down", "j"], "c", [0, 4]],
  [["pagedown"], "e", [1, 5]],
  [["G"], "j", [6, 10]],
  [["end", "up", "k"], "h", [6, 10]],
  [["end", "home"], "a", [0, 4]],
  [["end", "pageup", "pageup"], "b", [1, 5]],
])("%p: %s", (keys, chosen, [from, to]) => {
  const selection = pressed(...keys);
  expect([selection.chosen(rows), selection.window(rows, 4)]).toEqual([chosen, { from, to }]);
});

test("the selection stays with its row when others come before it", () => {
  const selection = pressed("down");
  expect(selection.chosen(["new", ...rows])).toBe("b");
});

test("when its row is gone, the one in its place is chosen; of an empty list none", () => {
  const selection = pressed("down");
  expect(selection.chosen(["a", "c"])).toBe("c");
  expect(selection.chosen(["a"])).toBe("a");
  expect(selection.chosen([])).toBeUndefined();
});
