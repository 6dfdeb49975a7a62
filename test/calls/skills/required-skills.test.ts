import { describe, expect, test } from "bun:test";

import { Cancellation } from "../../../src/base/cancellation.ts";
import { requiredSkillsMax } from "../../../src/base/limits.ts";
import type { CallRequest } from "../../../src/calls/call.ts";
import { Changes } from "../../../src/calls/features.ts";
import { RequiredSkills } from "../../../src/calls/skills/required-skills.ts";
import { SkillView } from "../../../src/calls/skills/skill-view.ts";
import { SkillWatch } from "../../../src/calls/skills/skill-watch.ts";
import { readRequiredSkills } from "../../../src/state/skills/required-names.ts";
import { SkillTree } from "../../state/skills/skill-tree.ts";

function start(tree: SkillTree): RequiredSkills {
  const library = tree.library();
  const view = new SkillView(library, new SkillWatch(library, new Changes()), true);
  return new RequiredSkills(tree.at("home/.scorpiox"), (client) => view.forUse(client));
}

function callIn(workspaceDir: () => Promise<string>, mayUse?: () => boolean): CallRequest {
  const client = { id: "c", limits: { answerMs: 0, resultCharsMax: 1 }, workspaceDir };
  return {
    name: "Bash",
    args: {},
    version: "2025-11-25",
    client: mayUse === undefined ? client : { ...client, mayUse },
    cancellation: new Cancellation(),
  };
}

describe("RequiredSkills", () => {
  test("the first call waits for the files, later ones do not", async () => {
    using tree = new SkillTree();
    tree.write("home/.scorpiox/required_skills.txt", "create-skill\n");
    const required = start(tree);
    const call = callIn(() => Promise.resolve(tree.workspace));
    expect(await required.check(call)).toBeUndefined();
    expect(required.check(call)).toBeUndefined();
    expect(required.notesFor(call)).toEqual([
      "Required skills not loaded yet: create-skill. Load them with InvokeSkill.",
    ]);
    required.loaded("c", "create-skill");
    expect(required.notesFor(call)).toEqual([]);
    required.forget("c");
    await required.check(call);
    expect(required.notesFor(call).length).toBe(1);
  });

  test("a client that does not say where it works is not waited for", async () => {
    using tree = new SkillTree();
    const required = start(tree);
    const call = callIn(() => new Promise(() => {}));
    expect(await required.check(call)).toBeUndefined();
    expect(required.notesFor(call)).toEqual([]);
  });

  test("who may not load skills is not asked to", async () => {
    using tree = new SkillTree();
    tree.write("home/.scorpiox/required_skills.txt", "create-skill\n");
    const required = start(tree);
    const call = callIn(
      () => Promise.resolve(tree.workspace),
      () => false,
    );
    expect([required.check(call), required.notesFor(call)]).toEqual([undefined, []]);
  });
});

describe("readRequiredSkills()", () => {
  test.each<[string, string | undefined, string[]]>([
    ["no file", undefined, []],
    ["empty", "", []],
    ["comments, blanks and CRLF", "# all\r\n a # first\r\n\r\nb\r\na\r\n", ["a", "b"]],
    ["what is no name", "../x\n/etc/passwd\nok\n.x\n", ["ok"]],
    [
      "too many",
      Array.from({ length: requiredSkillsMax + 1 }, (_, at) => `s${at}`).join("\n"),
      Array.from({ length: requiredSkillsMax }, (_, at) => `s${at}`),
    ],
  ])("%s", async (_what, text, names) => {
    using tree = new SkillTree();
    if (text !== undefined) tree.write("required_skills.txt", text);
    expect(await readRequiredSkills(tree.at("required_skills.txt"))).toEqual(names);
  });

  test.skipIf(process.platform === "win32").each(["link", "folder", "fifo"])(
    "a %s is none",
    async (kind) => {
      using tree = new SkillTree();
      const path = tree.at("required_skills.txt");
      if (kind === "link") tree.link("required_skills.txt", tree.write("other", "a\n"));
      if (kind === "folder") tree.folder("required_skills.txt");
      if (kind === "fifo") Bun.spawnSync(["mkfifo", path]);
      expect(await readRequiredSkills(path)).toEqual([]);
    },
  );
});
