import { cutCells } from "./cells.ts";
import type { Look } from "./look.ts";
import type { Hint } from "./view.ts";

const sections: readonly (readonly [string, readonly Hint[]])[] = [
  [
    "Everywhere",
    [
      ["tab, shift-tab, 1-5", "another view"],
      ["ctrl-z", "suspend; questions go elsewhere meanwhile"],
      ["q, ctrl-c", "quit; servers and tasks go on"],
    ],
  ],
  [
    "Questions",
    [
      ["up, down, j, k", "move"],
      ["page up, page down", "scroll the text"],
      ["enter", "choose, and go on"],
      ["space", "choose without going on; several where it is allowed"],
      ["left, right", "another question of the same"],
      ["n, p", "another one that waits"],
      ["d", "decline"],
      ["esc", "cancel"],
    ],
  ],
  [
    "Background tasks and callbacks",
    [
      ["enter", "output of a task"],
      ["g, f", "top of the output, follow its end"],
      ["x", "kill the task, cancel the callback"],
    ],
  ],
];

/** Cells of the column of keys. */
const keyCells = 22;

/** Every key and its action. */
export function drawHelp(columns: number, look: Look): string[] {
  const room = Math.max(1, columns - keyCells - 5);
  return sections.flatMap(([title, hints]) => [
    ` ${look.bold(cutCells(title, columns - 2))}`,
    ...hints.map(([key, meaning]) => {
      if (room < keyCells) return `  ${cutCells(`${key}: ${meaning}`, columns - 3)}`;
      return `   ${key.padEnd(keyCells)} ${look.dim(cutCells(meaning, room))}`;
    }),
    "",
  ]);
}
