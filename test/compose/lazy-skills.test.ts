import { expect, test } from "bun:test";
import { join } from "node:path";

import type { ClientContext } from "../../src/calls/call.ts";
import { type Change, Changes } from "../../src/calls/features.ts";
import type { StartUp } from "../../src/cli/start-up.ts";
import { LazySkills } from "../../src/compose/lazy-features.ts";
import type { ToolListing } from "../../src/protocol/tool-types.ts";
import { until } from "../commands/process/until.ts";
import { SkillTree } from "../state/skills/skill-tree.ts";

const lookMs = 5;
const listings = [{ name: "InvokeSkill", description: "as built" }] as unknown as ToolListing[];

/** Skills of a home without any; `looks` counts how often a client's folder was asked for. */
class LazyHarness implements Disposable {
  readonly tree = new SkillTree();
  readonly changes = new Changes();
  readonly told: (Change & { readonly clientId?: string })[] = [];
  looks = 0;
  readonly skills: LazySkills;

  constructor() {
    const { home } = this.tree;
    const start = {
      dirs: { homeDir: home, scorpioxDir: join(home, ".scorpiox") },
      config: { settings: { skills: { additional: [], isEnabled: () => true } } },
    } as unknown as StartUp;
    this.skills = new LazySkills({ start, changes: this.changes, listings }, lookMs);
  }

  hear(): void {
    this.changes.listen((change) => void this.told.push(change));
  }

  list(id: string): Promise<readonly ToolListing[]> {
    const workspaceDir = (): Promise<string> => {
      this.looks += 1;
      return Promise.resolve(this.tree.workspace);
    };
    const client: ClientContext = {
      id,
      limits: { answerMs: 0, resultCharsMax: 1 },
      workspaceDir,
    };
    return this.skills.toolListings(client);
  }

  [Symbol.dispose](): void {
    this.skills[Symbol.dispose]();
    this.tree[Symbol.dispose]();
  }
}

test("a list of the built-in skills loads nothing, nor do the looks after it", async () => {
  using harness = new LazyHarness();
  harness.hear();
  expect(await harness.list("one")).toBe(listings);
  await until(() => harness.looks > 3);
  expect([harness.skills.isLoaded, harness.told]).toEqual([false, []]);
});

test("a call loads the part that names required skills, and no more", async () => {
  using harness = new LazyHarness();
  expect((await harness.skills.forCalls()).required.clients.size).toBe(0);
  expect(harness.skills.isLoaded).toBe(false);
});

test("a client is told of the first skill that somebody adds", async () => {
  using harness = new LazyHarness();
  harness.hear();
  await harness.list("one");
  await until(() => harness.looks > 1);
  harness.tree.skill("work/.claude/skills", "review");
  await until(() => harness.told.length > 0);
  expect(harness.told.slice(0, 1)).toEqual([{ kind: "tools", clientId: "one", isSeenByAll: true }]);
});

test("nobody looks while nobody hears, and then of what was added meanwhile", async () => {
  using harness = new LazyHarness();
  await harness.list("one");
  const before = harness.looks;
  harness.tree.skill("work/.claude/skills", "review");
  await Bun.sleep(lookMs * 4);
  expect([harness.looks, harness.skills.isLoaded]).toEqual([before, false]);
  harness.hear();
  await until(() => harness.told.length > 0);
  expect(harness.told.slice(0, 1)).toEqual([{ kind: "tools", clientId: "one", isSeenByAll: true }]);
});

test("several clients are watched together, all of them", async () => {
  using harness = new LazyHarness();
  harness.hear();
  await harness.list("one");
  await harness.list("two");
  await until(() => harness.skills.isLoaded);
  harness.tree.skill("work/.claude/skills", "review");
  const toldOf = (id: string): boolean => harness.told.some(({ clientId }) => clientId === id);
  await until(() => toldOf("one") && toldOf("two"));
});

test("a client that is gone is not looked after", async () => {
  using harness = new LazyHarness();
  harness.hear();
  await harness.list("one");
  harness.skills.endClient("one");
  await harness.list("two");
  harness.skills.endClient("two");
  harness.tree.skill("work/.claude/skills", "review");
  await Bun.sleep(lookMs * 4);
  expect([harness.skills.isLoaded, harness.told]).toEqual([false, []]);
});
