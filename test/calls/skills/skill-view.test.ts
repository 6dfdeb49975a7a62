import { describe, expect, test } from "bun:test";

import { skillListMsMax } from "../../../src/base/limits.ts";
import { Changes, type Change } from "../../../src/calls/features.ts";
import { SkillView } from "../../../src/calls/skills/skill-view.ts";
import { SkillWatch } from "../../../src/calls/skills/skill-watch.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { SkillTree } from "../../state/skills/skill-tree.ts";

function start(tree: SkillTree, isOffered = true, everyMs?: number) {
  const changes = new Changes();
  const told: Change[] = [];
  changes.listen((change) => told.push(change));
  const library = tree.library();
  const watch = new SkillWatch(library, changes, everyMs);
  return { view: new SkillView(library, watch, isOffered), watch, told };
}

function clientIn(workspaceDir: () => Promise<string>, id = "c") {
  return { id, limits: { answerMs: 0, resultCharsMax: 1 }, workspaceDir };
}

const kindsOf = (told: readonly Change[]): string[] => told.map(({ kind }) => kind);

describe("SkillView", () => {
  test("a client that does not say where it works has the user's skills, and is told later", async () => {
    using tree = new SkillTree();
    tree.skill("work/.claude/skills", "theirs");
    tree.skill("home/.claude/skills", "mine");
    const { view, watch, told } = start(tree);
    const answer = Promise.withResolvers<string>();
    const client = clientIn(() => answer.promise);
    const early = await view.forList(client);
    expect([early.workspace, early.set.byName.has("mine"), early.set.byName.has("theirs")]).toEqual(
      [undefined, true, false],
    );
    expect(told).toEqual([]);
    answer.resolve(tree.workspace);
    const late = await view.forUse(client);
    expect(late.set.byName.has("theirs")).toBe(true);
    await view.forList(client);
    expect(kindsOf(told)).toEqual(["tools", "prompts", "resources", "resource"]);
    watch[Symbol.dispose]();
  });

  test("a disk that is slower than a client may be is waited for", async () => {
    using tree = new SkillTree();
    tree.skill("work/.claude/skills", "theirs");
    const library = tree.library();
    const find = library.find.bind(library);
    library.find = async (dir) => {
      await Bun.sleep(2 * skillListMsMax);
      return find(dir);
    };
    const changes = new Changes();
    using watch = new SkillWatch(library, changes);
    const view = new SkillView(library, watch, true);
    const { set, workspace } = await view.forList(clientIn(() => Promise.resolve(tree.workspace)));
    expect([set.byName.has("theirs"), workspace]).toEqual([true, tree.workspace]);
  });

  test("the list of a client that said so is not told to it again", async () => {
    using tree = new SkillTree();
    const { view, watch, told } = start(tree);
    const client = clientIn(() => Promise.resolve(tree.workspace));
    for (let round = 0; round < 3; round++) await view.forList(client);
    expect(told).toEqual([]);
    watch[Symbol.dispose]();
  });

  test("each client is told of its own workspace's only", async () => {
    using tree = new SkillTree();
    const { view, watch, told } = start(tree);
    const one = clientIn(() => Promise.resolve(tree.workspace), "one");
    const two = clientIn(() => Promise.resolve(tree.folder("other")), "two");
    await view.forList(one);
    await view.forList(two);
    tree.skill("work/.claude/skills", "theirs");
    await view.forList(one);
    await view.forList(two);
    expect(told).toEqual([
      { kind: "tools", clientId: "one", isSeenByAll: true },
      { kind: "prompts", clientId: "one", isSeenByAll: true },
      { kind: "resources", clientId: "one", isSeenByAll: true },
      { kind: "resource", uri: "skill://theirs/SKILL.md", clientId: "one", isSeenByAll: true },
    ]);
    watch[Symbol.dispose]();
  });

  test("an edit of a body is a change of the resource alone", async () => {
    using tree = new SkillTree();
    tree.skill("work/.claude/skills", "a", "d", "one");
    const { view, watch, told } = start(tree);
    const client = clientIn(() => Promise.resolve(tree.workspace));
    await view.forList(client);
    tree.skill("work/.claude/skills", "a", "d", "two!");
    await view.forList(client);
    expect(told).toEqual([
      { kind: "resource", uri: "skill://a/SKILL.md", clientId: "c", isSeenByAll: true },
    ]);
    watch[Symbol.dispose]();
  });

  test("nobody sees skills whose tool is switched off or not allowed", async () => {
    using tree = new SkillTree();
    const client = clientIn(() => Promise.resolve(tree.workspace));
    const { view } = start(tree, false);
    expect((await view.forList(client)).set.skills).toEqual([]);
    const { view: other } = start(tree);
    const limited = { ...client, mayUse: (name: string) => name !== "InvokeSkill" };
    expect((await other.forUse(limited)).set.skills).toEqual([]);
  });

  test("a workspace that is no absolute path is none", async () => {
    using tree = new SkillTree();
    const { view, watch } = start(tree);
    const { workspace } = await view.forList(clientIn(() => Promise.resolve("relative")));
    expect(workspace).toBeUndefined();
    watch[Symbol.dispose]();
  });

  test("a client that went away before its list was there is not watched", async () => {
    using tree = new SkillTree();
    tree.skill("work/.claude/skills", "theirs");
    const { view, watch, told } = start(tree);
    const answer = Promise.withResolvers<string>();
    const client = clientIn(() => answer.promise);
    await view.forList(client);
    watch.forget("c");
    const again = view.forList(clientIn(() => answer.promise, "d"));
    watch.forget("d");
    answer.resolve(tree.workspace);
    await again;
    await view.forUse(client);
    expect([told, watch.clientCount]).toEqual([[], 0]);
    watch[Symbol.dispose]();
  });

  test("a client that works elsewhere by now is told without asking again", async () => {
    using tree = new SkillTree();
    tree.skill("other/.claude/skills", "theirs");
    const { view, watch, told } = start(tree, true, 20);
    let dir = tree.workspace;
    const client = { ...clientIn(() => Promise.resolve(dir)), workspaceNow: () => dir };
    await view.forList(client);
    dir = tree.folder("other");
    await eventually("it is told", () => told.length >= 4);
    expect(kindsOf(told)).toEqual(["tools", "prompts", "resources", "resource"]);
    await view.forList(client);
    expect(told.length).toBe(4);
    watch[Symbol.dispose]();
  });
});
