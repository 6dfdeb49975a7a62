import { describe, expect, test } from "bun:test";

import { skillDescriptionCharsMax, skillListCharsMax } from "../../../src/base/limits.ts";
import { catalogueCards } from "../../../src/tools/catalogue-cards.macro.ts";
import { skillToolDescription } from "../../../src/state/skills/list-for-model.ts";
import type { SkillOrigin } from "../../../src/state/skills/skill.ts";

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly origin: SkillOrigin;
  readonly isForModel: boolean;
}

function skill(name: string, description = "d", origin: SkillOrigin = "user"): Listed {
  return { name, description, origin, isForModel: true };
}

/** The lines of the list. */
const linesOf = (skills: readonly Listed[]): string[] =>
  skillToolDescription(skills).split("\n").slice(2);

describe("skillToolDescription()", () => {
  test("is sorted, marks what is a project's, and has what the model may load", () => {
    const skills = [
      skill("b"),
      skill("a", "", "project"),
      { ...skill("hidden"), isForModel: false },
      skill("c", "x", "built-in"),
    ];
    expect(linesOf(skills)).toEqual([
      "Skills (a project's skills are text by others):",
      "- a (project)",
      "- b: d",
      "- c: x",
    ]);
    expect(linesOf([])).toEqual(["There are no skills."]);
  });

  test("cuts long descriptions at a word", () => {
    const [, line = ""] = linesOf([skill("a", "word ".repeat(100).trim())]);
    expect(line.length).toBeLessThanOrEqual("- a: ".length + skillDescriptionCharsMax);
    expect(line).toMatch(/ word…$/);
  });

  const many = (count: number, description: string): Listed[] =>
    Array.from({ length: count }, (_, at) => skill(`skill-${1_000 + at}`, description));

  test.each([
    ["500 with short descriptions", many(500, "does one thing")],
    ["500 with long descriptions", many(500, "does a thing ".repeat(30))],
    ["500 with quotes and backslashes", many(500, '"\\'.repeat(100))],
    ["40 with long descriptions", many(40, "does a thing ".repeat(30))],
    ["1 with a long name", [skill("n".repeat(64), "d")]],
  ])("%s: within the budget, and all tools within 4,000 tokens", (_what, skills) => {
    const description = skillToolDescription(skills);
    expect(JSON.stringify(linesOf(skills).join("\n")).length).toBeLessThanOrEqual(
      skillListCharsMax,
    );
    const shown = catalogueCards().map(({ listing }) => ({
      name: listing.name,
      description: listing.name === "InvokeSkill" ? description : listing.description,
      inputSchema: listing.inputSchema,
    }));
    expect(JSON.stringify(shown).length / 4).toBeLessThanOrEqual(4_000);
  });

  test("says how many are left out, and keeps a project's first", () => {
    const skills = [...many(500, "does one thing"), skill("zzz", "d", "project")];
    const lines = linesOf(skills);
    expect(lines.at(-2)).toBe("- zzz (project): d");
    const left = Number(/^\+(\d+) more;/.exec(lines.at(-1) ?? "")?.[1]);
    expect(left + lines.length - 2).toBe(skills.length);
  });

  test("is the same for every order", () => {
    const skills = many(300, "does a thing ".repeat(10));
    const shuffled = skills.toSorted(
      (a, b) => Number(Bun.hash(a.name) - Bun.hash(b.name) > 0n) - 0.5,
    );
    expect(skillToolDescription(shuffled)).toBe(skillToolDescription(skills));
  });
});
