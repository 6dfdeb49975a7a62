import { expect, test } from "bun:test";

import { argumentNames } from "../../../src/state/skills/load-skill.ts";
import type { FrontMatterValue } from "../../../src/state/skills/skill.ts";

test.each<[FrontMatterValue | undefined, readonly string[]]>([
  ["file mode", ["file", "mode"]],
  ["file, mode", ["file", "mode"]],
  [
    ["old-name", "new_name"],
    ["old-name", "new_name"],
  ],
  ["", []],
  [undefined, []],
  [true, []],
  [["a", 1], []],
  [["a|b"], []],
  [["ARGUMENTS"], []],
  [{ file: "a" }, []],
  [Array.from({ length: 33 }, (_, number) => `a${number}`), []],
])("argumentNames(%j)", (value, names) => {
  expect(argumentNames(value)).toEqual(names);
});
