import { describe, expect, test } from "bun:test";
import { encodeSkill, encodeSkillsList, type SkillEntry } from "../../src/protocol/skills.ts";
import { ownMeta } from "./own-meta.ts";

const hints = { ttlMs: 1, cacheScope: "private" } as const;
const around = { resultType: "complete", ...hints, _meta: ownMeta };
const skill: SkillEntry = {
  uri: "skill://a/SKILL.md",
  frontmatter: { name: "a", description: "d", metadata: { x: [1] } },
  resources: [{ uri: "skill://a/SKILL.md", digest: `sha256:${"0".repeat(64)}`, size: 1 }],
};
const dynamic: SkillEntry = { ...skill, resources: "dynamic" };

test("encodeSkillsList(): entries as they are", () => {
  const page = { items: [skill, dynamic], nextCursor: "n" };
  expect(JSON.parse(encodeSkillsList(page, "2026-07-28", hints))).toEqual({
    ...around,
    skills: [skill, dynamic],
    nextCursor: "n",
  });
});

describe("encodeSkill()", () => {
  test("has the shape of a list's entry, and no cursor", () => {
    expect(JSON.parse(encodeSkill(skill, "2026-07-28", hints))).toEqual({ ...around, skill });
  });
});
