import { describe, expect, test } from "bun:test";

import { run } from "./fake-io.ts";

const files = {
  "project/.claude/skills/good/SKILL.md":
    '---\nname: good\ndescription: "Goes well.\u202e"\n---\nDo $1.\n',
  "project/.claude/skills/Odd_name/SKILL.md": "Text only.\n",
  "project/.claude/skills/empty/README.md": "none",
  "home/.claude/skills/good/SKILL.md": "---\nname: good\ndescription: Mine.\n---\nMine.\n",
};

describe("skills list", () => {
  test("names, where from, and what is wrong", async () => {
    const { stdout, stderr, exitCode } = await run(["skills", "list"], { files, cwd: "project" });
    expect(exitCode).toBe(0);
    expect(stdout.split("\n").filter((line) => line.includes("[project]"))).toEqual([
      "  Odd_name        [project] Text only.",
      "  good            [project] Goes well.",
    ]);
    expect(stderr).toContain("Odd_name: it has no front matter.");
    expect(stderr).toContain("not used: another skill of this name has priority.");
    expect(stderr).toContain("empty: not used: it has no SKILL.md.");
  });

  test("a name of a folder makes no line of its own", async () => {
    const hostile = { "project/.claude/skills/a\nscorpiox-code: all is well/SKILL.md": "x" };
    const { stderr } = await run(["skills", "list"], { files: hostile, cwd: "project" });
    expect(stderr.trimEnd().split("\n").length).toBe(1);
  });

  test("as JSON", async () => {
    const { stdout } = await run(["skills", "list", "--json"], { files, cwd: "project" });
    const listed = JSON.parse(stdout) as { skills: object[]; unused: object[]; problems: object[] };
    expect([listed.skills.length, listed.unused.length, listed.problems.length]).toEqual([5, 1, 1]);
    expect(listed.unused[0]).toMatchObject({ name: "good", origin: "user", reason: "shadowed" });
  });
});

describe("skills get", () => {
  test.each([
    [["good", "a b"], 0, /^Skill good: text from a file of this project[^]*\n\nDo a\.\n$/, /^$/],
    [["god"], 3, /^$/, /No skill is named "god"\. Did you mean good\?/],
    [["empty"], 3, /^$/, /The skill "empty" cannot be used: it has no SKILL\.md\./],
    [["../x"], 3, /^$/, /No skill is named "\.\.\/x"/],
    [[], 2, /^$/, /skills get/],
  ])("%j exits with %d", async (args, exitCode, stdout, stderr) => {
    const ran = await run(["skills", "get", ...args], { files, cwd: "project" });
    expect([ran.exitCode, ran.stdout, ran.stderr]).toEqual([
      exitCode,
      expect.stringMatching(stdout),
      expect.stringMatching(stderr),
    ]);
  });

  test("as JSON", async () => {
    const ran = await run(["skills", "show", "good", "--json"], { files, cwd: "project" });
    expect(JSON.parse(ran.stdout)).toMatchObject({ name: "good", body: "Do $1.", files: [] });
  });
});
