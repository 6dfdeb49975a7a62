import { expect, test } from "bun:test";

import { planFileName } from "../../../src/state/plan/plan-folder.ts";

const day = new Date(2026, 10, 5, 23, 59);

test.each([
  ["words", "Add a login page", 0, "2026-11-05-add-a-login-page.md"],
  ["a second of that name", "Add a login page", 1, "2026-11-05-add-a-login-page-2.md"],
  ["a path", "../../etc/passwd", 0, "2026-11-05-etc-passwd.md"],
  ["other scripts", "Größe änd\u0301ern 計画", 0, "2026-11-05-größe-änd\u0301ern-計画.md"],
  ["nothing that a name can have", "?!… \u202e/\\", 0, "2026-11-05-plan.md"],
  [
    "more words than fit",
    "one two three four five six seven eight nine ten eleven twelve",
    0,
    "2026-11-05-one-two-three-four-five-six-seven-eight-nine-ten.md",
  ],
  ["one long word", "x".repeat(500), 0, `2026-11-05-${"x".repeat(48)}.md`],
])("planFileName() of %s", (_name, goal, attempt, expected) => {
  expect(planFileName(goal, day, attempt)).toBe(expected);
});
