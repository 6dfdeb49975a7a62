import { expect, test } from "bun:test";

import { skillNamesAtOnceMax, skillsPerFolderMax } from "../../../src/base/limits.ts";
import { folderNames } from "../../../src/state/skills/skill-folder.ts";

const entry = (name: string, isFile = false) => ({ name, isFile: () => isFile });

test("of very many names the first count, and others have their turn meanwhile", async () => {
  const count = skillNamesAtOnceMax * 20;
  const names = Array.from({ length: count }, (_, at) => `s-${String(at).padStart(6, "0")}`);
  const entries = [
    entry("README.md", true),
    entry(".git"),
    ...names.toReversed().map((name) => entry(name)),
    ...Array.from({ length: 30 }, (_, at) => entry(`bad:${String(at).padStart(2, "0")}`)),
  ];
  let turns = 0;
  const next = (): void => {
    turns += 1;
    timer = setImmediate(next);
  };
  let timer = setImmediate(next);
  const found = await folderNames(entries);
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(19);
  expect(found).toEqual({
    usable: names.slice(0, skillsPerFolderMax),
    usableCount: count,
    unusable: Array.from({ length: 20 }, (_, at) => `bad:${String(at).padStart(2, "0")}`),
  });
});
