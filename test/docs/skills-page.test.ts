import { expect, test } from "bun:test";

import {
  skillEntriesMax,
  skillFileBytesMax,
  skillFilledCharsMax,
  skillFrontMatterBytesMax,
  skillListCharsMax,
  skillListMsMax,
  skillLookMs,
  skillResourceBytesMax,
  skillsPerFolderMax,
} from "../../src/base/limits.ts";
import { builtInCards } from "../../src/state/skills/built-in/built-in-cards.ts";
import { skillSources } from "../../src/state/skills/skill.ts";
import { readPage } from "./pages.ts";

const { text } = readPage("docs/skills.md");
const kib = (bytes: number): string => `${bytes / 1024} KiB`;

test.each([
  ["a SKILL.md", kib(skillFileBytesMax)],
  ["front matter", kib(skillFrontMatterBytesMax)],
  ["skills of a folder", `${skillsPerFolderMax.toLocaleString("en")} skills`],
  ["the list", `${skillListCharsMax.toLocaleString("en")} characters`],
  ["waiting for roots", `${skillListMsMax} ms`],
  ["looks", `${["no", "one", "two", "three"][skillLookMs / 1_000]} seconds`],
  ["a skill that is filled in", `${skillFilledCharsMax.toLocaleString("en")} characters`],
  ["a folder of a skill", `${skillEntriesMax.toLocaleString("en")} entries`],
  ["a file", `${skillResourceBytesMax / 1024 ** 2} MiB`],
])("docs/skills.md says the bound of %s", (_what, bound) => {
  expect(text).toContain(bound);
});

test("docs/skills.md names all places and all built-in skills", () => {
  const dirs = { homeDir: "/h", scorpioxDir: "/h/.scorpiox", additional: [] };
  const places = skillSources(dirs, "/w").map(({ dir }) =>
    dir
      .replaceAll("\\", "/")
      .replace(/^(?:[A-Z]:)?\/h/, "~")
      .replace(/^(?:[A-Z]:)?\/w\//, ""),
  );
  const named = [...places, ...builtInCards.map(({ name }) => name)];
  expect(named.filter((each) => !text.includes(`\`${each}\``))).toEqual([]);
});
