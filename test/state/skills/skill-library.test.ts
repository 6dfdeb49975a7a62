import { describe, expect, test } from "bun:test";
import { chownSync, rmSync, utimesSync } from "node:fs";
import { relative } from "node:path";

import { skillFileBytesMax, skillsPerFolderMax } from "../../../src/base/limits.ts";
import { FreshLook } from "../../../src/state/skills/skill-folder.ts";
import { isSkillName } from "../../../src/state/skills/skill.ts";
import { loadSkill } from "../../../src/state/skills/load-skill.ts";
import type { SkillSet } from "../../../src/state/skills/skill-library.ts";
import { foundIn, SkillTree } from "./skill-tree.ts";

const isWindows = process.platform === "win32";

/** `path: reason` with paths below the tree. */
function problemsIn(tree: SkillTree, { problems }: SkillSet): string[] {
  return problems.map(
    ({ path, reason }) => `${relative(tree.root, path)}: ${reason.replaceAll(`${tree.root}/`, "")}`,
  );
}

describe("the first of a name counts", () => {
  const places = [
    "work/.claude/skills",
    "work/.scorpiox/skills",
    "work/.agents/skills",
    "home/.claude/skills",
    "home/.scorpiox/skills",
    "more",
    "last",
  ];

  test.each(places.map((place, at) => [place, at] as const))(
    "%s before the rest",
    async (place, at) => {
      using tree = new SkillTree();
      for (const dir of places.slice(at)) tree.skill(dir, "create-skill", `from ${dir}`);
      const set = await tree.library([tree.at("more"), tree.at("last")]).find(tree.workspace);
      expect(set.byName.get("create-skill")).toMatchObject({
        description: `from ${place}`,
        origin: place.startsWith("work") ? "project" : "user",
        folder: tree.at(place, "create-skill"),
      });
      // The others of this name, and the one that is built in.
      expect(set.unused.map(({ reason }) => reason)).toEqual(
        places.slice(at).map(() => "shadowed" as const),
      );
    },
  );

  test("what is in the home folder is the user's, also when commands run there", async () => {
    using tree = new SkillTree();
    for (const dir of [".claude", ".agents"]) tree.skill(`home/${dir}/skills`, `in${dir.slice(1)}`);
    const set = await tree.library().find(tree.home);
    expect(foundIn(set)).toEqual(["inagents: user", "inclaude: user"]);
  });

  test("a hidden skill is not there, whatever it is", async () => {
    using tree = new SkillTree();
    tree.skill("work/.claude/skills", "a");
    const set = await tree.library([], ["a", "create-skill"]).find(tree.workspace);
    expect(set.skills.map(({ name }) => name)).toEqual(["connect-server", "write-hook"]);
    expect(set.unused.map(({ skill, reason }) => [skill.name, reason])).toEqual([
      ["a", "hidden"],
      ["create-skill", "hidden"],
    ]);
  });

  test("without a workspace and without folders there is what is built in", async () => {
    using tree = new SkillTree();
    const { skills, problems } = await tree.library().find(undefined);
    expect([skills.map(({ origin }) => origin), problems]).toEqual([Array(3).fill("built-in"), []]);
  });
});

test("a folder that the user has named and that is not there is told of", async () => {
  using tree = new SkillTree();
  const set = await tree.library([tree.at("nowhere")]).find(tree.workspace);
  expect(problemsIn(tree, set)).toEqual([
    "nowhere: ADDITIONAL_SKILLS names a path that is not a folder",
  ]);
});

describe("changes", () => {
  test("nothing new is the same object, and each change is seen", async () => {
    using tree = new SkillTree();
    const library = tree.library();
    const look = (): Promise<SkillSet> => library.find(tree.workspace);
    const descriptions = async (): Promise<string[]> =>
      (await look()).skills
        .filter(({ origin }) => origin === "project")
        .map(({ name, description }) => `${name} ${description}`);
    expect(await descriptions()).toEqual([]);
    tree.skill("work/.claude/skills", "a");
    expect(await descriptions()).toEqual(["a about a"]);
    expect(await look()).toBe(await look());
    tree.skill("work/.claude/skills", "a", "other a");
    expect(await descriptions()).toEqual(["a other a"]);
    tree.skill("work/.claude/skills", "b");
    expect(await descriptions()).toEqual(["a other a", "b about b"]);
    rmSync(tree.at("work/.claude/skills/a"), { recursive: true });
    expect(await descriptions()).toEqual(["b about b"]);
    rmSync(tree.at("work/.claude"), { recursive: true });
    expect(await descriptions()).toEqual([]);
  });

  test("an edit is seen in a folder that has not changed for long", async () => {
    using tree = new SkillTree();
    tree.skill("work/.claude/skills", "a");
    utimesSync(tree.at("work/.claude/skills"), 1_000, 1_000);
    const library = tree.library();
    await library.find(tree.workspace);
    tree.skill("work/.claude/skills", "a", "of the same length");
    const set = await library.find(tree.workspace);
    expect(set.byName.get("a")?.description).toBe("of the same length");
  });

  test("looks at the same time find the same", async () => {
    using tree = new SkillTree();
    tree.skill("work/.claude/skills", "a");
    const library = tree.library();
    const [one, two] = await Promise.all([
      library.find(tree.workspace),
      library.find(tree.workspace),
    ]);
    expect(one).toBe(two);
  });
});

test("FreshLook: who asks meanwhile is given a look that began after", async () => {
  const ends: ((value: number) => void)[] = [];
  const looks = new FreshLook(() => new Promise<number>((resolve) => ends.push(resolve)));
  const asked = [looks.take(), looks.take(), looks.take()];
  ends[0]?.(1);
  expect(await asked[0]).toBe(1);
  await Promise.resolve();
  ends[1]?.(2);
  expect(await Promise.all(asked)).toEqual([1, 2, 2]);
  const later = looks.take();
  ends[2]?.(3);
  expect([await later, ends.length]).toEqual([3, 3]);
});

describe("what a skills folder may hold", () => {
  const dir = "work/.claude/skills";
  const rows: [string, (tree: SkillTree) => void, string][] = [
    [
      "SKILL.md is a link out",
      (tree) => tree.link(`${dir}/x/SKILL.md`, tree.write("secret.txt", "secret")),
      `${dir}/x: ${dir}/x/SKILL.md is a link that leads out of ${dir}/x`,
    ],
    [
      "SKILL.md is a link to /etc/passwd",
      (tree) => tree.link(`${dir}/x/SKILL.md`, "/etc/passwd"),
      `${dir}/x: ${dir}/x/SKILL.md is a link that leads out of ${dir}/x`,
    ],
    [
      "the folder is a link out",
      (tree) => {
        tree.skill("elsewhere", "x");
        tree.link(`${dir}/x`, tree.at("elsewhere/x"));
      },
      `${dir}/x: it is a link that leads out of the workspace`,
    ],
    [
      "the folder is a link to a folder beside the workspace that has its name as a beginning",
      (tree) => {
        tree.skill("work-other", "x");
        tree.link(`${dir}/x`, "../../../work-other/x");
      },
      `${dir}/x: it is a link that leads out of the workspace`,
    ],
    ["a dangling link", (tree) => tree.link(`${dir}/x`, "nowhere"), `${dir}/x: it has no SKILL.md`],
    [
      "a link to itself",
      (tree) => tree.link(`${dir}/x`, "x"),
      `${dir}/x: it cannot be read: ELOOP`,
    ],
    [
      "a folder without SKILL.md",
      (tree) => tree.folder(`${dir}/x`),
      `${dir}/x: it has no SKILL.md`,
    ],
    [
      "SKILL.md is a folder",
      (tree) => tree.folder(`${dir}/x/SKILL.md`),
      `${dir}/x: ${dir}/x/SKILL.md is not a regular file`,
    ],
    [
      "SKILL.md is a FIFO",
      (tree) => {
        tree.folder(`${dir}/x`);
        Bun.spawnSync(["mkfifo", tree.at(`${dir}/x/SKILL.md`)]);
      },
      `${dir}/x: ${dir}/x/SKILL.md is not a regular file`,
    ],
    [
      "SKILL.md is a device",
      (tree) => tree.link(`${dir}/x/SKILL.md`, "/dev/zero"),
      `${dir}/x: ${dir}/x/SKILL.md is a link that leads out of ${dir}/x`,
    ],
    [
      "SKILL.md is too long",
      (tree) => tree.write(`${dir}/x/SKILL.md`, "x".repeat(skillFileBytesMax + 1)),
      `${dir}/x: its SKILL.md has more than ${skillFileBytesMax} bytes`,
    ],
    [
      "a name with a line end",
      (tree) => tree.skill(dir, "a\nb"),
      `${dir}/a\nb: its name cannot be the name of a skill: use lower-case letters, digits and hyphens`,
    ],
    [
      "an invisible name",
      (tree) => tree.skill(dir, "a\u202eb"),
      `${dir}/a\u202eb: its name cannot be the name of a skill: use lower-case letters, digits and hyphens`,
    ],
  ];

  test.skipIf(isWindows).each(rows)("%s: not used", async (_what, make, problem) => {
    using tree = new SkillTree();
    make(tree);
    tree.skill(dir, "fine");
    const set = await tree.find();
    expect([foundIn(set), problemsIn(tree, set)]).toEqual([["fine: project"], [problem]]);
  });

  test.skipIf(isWindows)(
    "a skills folder of a workspace that is a link out is not used",
    async () => {
      using tree = new SkillTree();
      tree.skill("elsewhere", "x");
      tree.link(dir, tree.at("elsewhere"));
      const set = await tree.find();
      expect([foundIn(set), problemsIn(tree, set)]).toEqual([
        [],
        [`${dir}: it is a link that leads out of the workspace`],
      ]);
    },
  );

  test.skipIf(isWindows)("links inside of the workspace are followed", async () => {
    using tree = new SkillTree();
    tree.skill("work/docs", "x");
    tree.link(`${dir}/x`, tree.at("work/docs/x"));
    tree.link("work/.agents/skills", "../.claude/skills");
    tree.write("work/docs/y/TEXT.md", "text");
    tree.link("work/docs/y/SKILL.md", "TEXT.md");
    tree.link(`${dir}/y`, "../../docs/y");
    expect(foundIn(await tree.find())).toEqual(["x: project", "y: project"]);
  });

  test.skipIf(isWindows)("among the user's own, links lead to what the user owns", async () => {
    using tree = new SkillTree();
    tree.skill("dotfiles", "x");
    tree.link("home/.claude/skills/x", tree.at("dotfiles/x"));
    tree.skill("whole", "y");
    tree.link("home/.scorpiox/skills", tree.at("whole"));
    expect(foundIn(await tree.find())).toEqual(["x: user", "y: user"]);
  });

  test.skipIf(process.getuid?.() !== 0)("but not to what another user owns", async () => {
    using tree = new SkillTree();
    tree.skill("theirs", "x");
    chownSync(tree.at("theirs/x"), 12_345, 12_345);
    tree.link("home/.claude/skills/x", tree.at("theirs/x"));
    const set = await tree.find();
    expect([foundIn(set), problemsIn(tree, set)]).toEqual([
      [],
      ["home/.claude/skills/x: it is a link to a folder of another user"],
    ]);
  });

  test.skipIf(isWindows)("what was listed is looked at again before it is read", async () => {
    using tree = new SkillTree();
    tree.skill(dir, "x");
    const set = await tree.find();
    rmSync(tree.at(dir, "x"), { recursive: true });
    tree.skill("elsewhere", "x");
    tree.link(`${dir}/x`, tree.at("elsewhere/x"));
    const [skill] = set.skills.filter(({ name }) => name === "x");
    if (skill === undefined) throw new Error("x is not there");
    const loading = loadSkill(skill, tree.workspace, null).catch(String);
    expect(await loading).toContain(
      "Cannot read the skill x: it is a link that leads out of the workspace.",
    );
  });

  test("dot folders and plain files are passed over", async () => {
    using tree = new SkillTree();
    tree.skill(dir, ".hidden");
    tree.write(`${dir}/README.md`, "text");
    const set = await tree.find();
    expect([foundIn(set), set.problems]).toEqual([[], []]);
  });

  test("of too many the first by name count", async () => {
    using tree = new SkillTree();
    const names = Array.from({ length: skillsPerFolderMax + 2 }, (_, at) => `s-${10_000 + at}`);
    for (const name of names.toReversed()) tree.skill(dir, name);
    const set = await tree.find();
    expect(foundIn(set)).toEqual(names.slice(0, -2).map((name) => `${name}: project`));
    expect(problemsIn(tree, set)).toEqual([
      `${dir}: ${names.length} skills are too many: only the first ${skillsPerFolderMax} by name are used`,
    ]);
  });
});

test.each(["a\u3164", "\u115fa", "a\u034f", "a\ufe0f", "a\u00ad", "a\u{e0100}"])(
  "a name with what nobody sees is none: %j",
  (name) => {
    expect(isSkillName(name)).toBe(false);
  },
);
