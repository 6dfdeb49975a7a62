import { describe, expect, test } from "bun:test";

import { skillKeyName } from "../../src/config/keys.ts";
import { TempTree } from "./temp-tree.ts";

const home = "home/.scorpiox/scorpiox-env.txt";
const project = "project/.scorpiox/scorpiox-env.txt";

describe("SKILL_<NAME>", () => {
  test.each([
    ["nothing", {}, {}, true],
    ["a file", { [home]: "SKILL_REVIEW_NOTES=0\n" }, {}, false],
    ["a project's file", { [project]: "SKILL_REVIEW_NOTES=off\n" }, {}, false],
    ["the environment", {}, { SKILL_REVIEW_NOTES: "0" }, false],
    [
      "the environment over a file",
      { [home]: "SKILL_REVIEW_NOTES=0\n" },
      { SCORPIOX_SKILL_REVIEW_NOTES: "1" },
      true,
    ],
    ["another program's variable", {}, { SKILL_REVIEW_NOTES: "expert" }, true],
    ["an empty variable", { [home]: "SKILL_REVIEW_NOTES=0\n" }, { SKILL_REVIEW_NOTES: "" }, false],
  ])("%s", (_what, files, env, isEnabled) => {
    using tree = new TempTree(files);
    const { settings, problems } = tree.load({ env });
    expect([settings.skills.isEnabled("review-notes"), problems]).toEqual([isEnabled, []]);
  });

  test("a project's file does not switch on what the user switched off", () => {
    using tree = new TempTree({ [home]: "SKILL_X=0\n", [project]: "SKILL_X=1\n" });
    const loaded = tree.load();
    const { settings, problems } = loaded;
    expect([settings.skills.isEnabled("x"), problems.length]).toEqual([false, 1]);
    expect(loaded.entries().find(({ key }) => key === "SKILL_X")).toMatchObject({
      value: "false",
      use: "used",
    });
  });

  test.each([
    ["review-notes", "SKILL_REVIEW_NOTES"],
    ["a.b c", "SKILL_A_B_C"],
    ["été", "SKILL__T_"],
  ])("the switch of %s is %s", (name, key) => {
    expect(skillKeyName(name)).toBe(key);
  });
});

describe("ADDITIONAL_SKILLS", () => {
  test("is a list of folders, of the user only", () => {
    using tree = new TempTree({
      [home]: "ADDITIONAL_SKILLS=~/more, /srv/skills,\n",
      [project]: "ADDITIONAL_SKILLS=/evil\n",
    });
    const { settings, problems } = tree.load();
    expect(settings.skills.additional).toEqual([tree.path("home/more"), "/srv/skills"]);
    expect(problems.length).toBe(1);
  });

  test("must be absolute", () => {
    using tree = new TempTree({ [home]: "ADDITIONAL_SKILLS=/a,b\n" });
    const { settings, problems } = tree.load();
    expect([settings.skills.additional, problems.length]).toEqual([[], 1]);
  });
});
