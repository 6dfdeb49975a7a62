import { expect, test } from "bun:test";
import { open } from "node:fs/promises";

import { openedPath } from "../../../src/state/skills/open-skill.ts";
import { SkillTree } from "./skill-tree.ts";

test("a file that was opened through a link is known by where it lies", async () => {
  using tree = new SkillTree();
  const file = tree.write("outside/a.txt", "secret");
  tree.link("work/sub", tree.at("outside"));
  const through = tree.at("work/sub/a.txt");
  await using handle = await open(through, "r");
  expect(await openedPath(handle, through)).toBe(file);
});
