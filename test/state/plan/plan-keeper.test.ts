import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ServerEvent, StateScope } from "../../../src/base/server-events.ts";
import { type KeptPlan, PlanKeeper, type PlanStore } from "../../../src/state/plan/plan-keeper.ts";

class MemoryStore implements PlanStore {
  readonly #plans = new Map<string, KeptPlan>();

  get(scope: StateScope): Promise<KeptPlan | undefined> {
    return Promise.resolve(this.#plans.get(JSON.stringify(scope)));
  }

  setIfAbsent(scope: StateScope, plan: KeptPlan): Promise<boolean> {
    const key = JSON.stringify(scope);
    if (this.#plans.has(key)) return Promise.resolve(false);
    this.#plans.set(key, plan);
    return Promise.resolve(true);
  }

  clear(scope: StateScope, startedAtMs: number | null): Promise<KeptPlan | undefined> {
    const key = JSON.stringify(scope);
    const plan = this.#plans.get(key);
    if (startedAtMs !== null && plan?.startedAtMs !== startedAtMs)
      return Promise.resolve(undefined);
    this.#plans.delete(key);
    return Promise.resolve(plan);
  }
}

let folder: string;
let workspace: string;
let scorpioxDir: string;
let events: ServerEvent[];
let store: MemoryStore;
let keeper: PlanKeeper;
const now = new Date(2026, 10, 5);

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "scorpiox-plan-")));
  workspace = join(folder, "project");
  scorpioxDir = join(folder, "home/.scorpiox");
  for (const each of [workspace, join(scorpioxDir, "plans")]) mkdirSync(each, { recursive: true });
  events = [];
  const emit = (event: ServerEvent): void => void events.push(event);
  store = new MemoryStore();
  keeper = new PlanKeeper({ store, scorpioxDir, emit, now: () => now });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const scope = { workspace: "w", owner: "" };
const place = () => ({ scope, workspaceDir: workspace });
const enter = (planFile: string | null = null) => keeper.enter(place(), "Add a login", planFile);
const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "it succeeded",
    (error: Error) => error.message.replaceAll(folder, "…"),
  );

describe("PlanKeeper.enter()", () => {
  test("makes the file with its heading and the goal, and says so once", async () => {
    const goal = "Add a login\nwith e-mail only";
    const plan = await keeper.enter(place(), goal, null);
    const planFile = join(workspace, ".scorpiox/plans/2026-11-05-add-a-login-with-e-mail-only.md");
    expect(plan).toEqual({ goal, planFile, startedAtMs: now.getTime() });
    expect(readFileSync(planFile, "utf8")).toBe("# Plan: Add a login\n\nwith e-mail only\n\n");
    expect(events).toEqual([{ kind: "plan", scope, change: "entered", planFile }]);
  });

  test("a second time is refused and makes no file", async () => {
    await enter();
    expect(await failure(enter())).toStartWith("Plan mode is already active (Add a login).");
    expect(readdirSync(join(workspace, ".scorpiox/plans"))).toHaveLength(1);
  });

  test("of two at once one wins, and the other leaves no file", async () => {
    const ends = await Promise.allSettled([enter(), enter()]);
    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const plans = readdirSync(join(workspace, ".scorpiox/plans"));
    expect(plans.map((name) => join(workspace, ".scorpiox/plans", name))).toEqual([
      (await keeper.get(place()))?.planFile ?? "",
    ]);
  });

  test("where it cannot be kept no file is left", async () => {
    store.setIfAbsent = () => Promise.reject(new Error("the disk is full"));
    expect(await failure(enter())).toBe("the disk is full");
    expect(readdirSync(join(workspace, ".scorpiox/plans"))).toEqual([]);
  });

  test("plans of one day and goal get names of their own", async () => {
    await enter();
    await keeper.reset(place());
    expect((await enter()).planFile).toEndWith("/2026-11-05-add-a-login-2.md");
  });

  test("goes on with a plan that is there", async () => {
    const { planFile } = await enter();
    await keeper.reset(place());
    writeFileSync(planFile, "# Plan\n\n1. First");
    expect((await enter(planFile)).planFile).toBe(planFile);
    expect(readFileSync(planFile, "utf8")).toBe("# Plan\n\n1. First");
  });

  test.each([
    ["an empty goal", " \n", "`goal` is missing: say what the plan is for."],
    ["a goal with NUL", "a\0b", "`goal` contains a NUL character."],
    [
      "a goal that is too long",
      "x".repeat(4_001),
      "`goal` has 4001 characters; the limit is 4000. Put the rest into the plan.",
    ],
  ])("refuses %s", async (_name, goal, message) => {
    expect(await failure(keeper.enter(place(), goal, null))).toBe(message);
    expect(existsSync(join(workspace, ".scorpiox"))).toBe(false);
  });

  test("takes a goal of the greatest length", async () => {
    const goal = "x".repeat(4_000);
    expect((await keeper.enter(place(), goal, null)).goal).toBe(goal);
  });

  test("a workspace that is gone is named", async () => {
    rmSync(workspace, { recursive: true });
    expect(await failure(enter())).toEndWith("The workspace folder is gone: create it again.");
  });

  test("writes through no link", async () => {
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(workspace, ".scorpiox"));
    expect(await failure(enter())).toContain("/.scorpiox is a link");
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test("a link in the place of the file stays untouched", async () => {
    const plans = join(workspace, ".scorpiox/plans");
    const target = join(workspace, "source.ts");
    mkdirSync(plans, { recursive: true });
    writeFileSync(target, "code");
    symlinkSync(target, join(plans, "2026-11-05-add-a-login.md"));
    expect((await enter()).planFile).toEndWith("/2026-11-05-add-a-login-2.md");
    expect(readFileSync(target, "utf8")).toBe("code");
  });

  test.each([
    ["a source file", "source.ts"],
    ["a link to one among the plans", ".scorpiox/plans/link.md"],
    ["a second name of one among the plans", ".scorpiox/plans/hard.md"],
    ["a file outside", "../outside.md"],
  ])("may not make %s the plan", async (_name, planFile) => {
    const plans = join(workspace, ".scorpiox/plans");
    mkdirSync(plans, { recursive: true });
    const source = join(workspace, "source.ts");
    writeFileSync(source, "code");
    writeFileSync(join(folder, "outside.md"), "text");
    symlinkSync(source, join(plans, "link.md"));
    linkSync(source, join(plans, "hard.md"));
    const message = await failure(enter(planFile));
    expect(message).toMatch(/a \.md file in|is not inside the workspace|has other names/);
    expect(await keeper.get(place())).toBeUndefined();
  });
});

describe("PlanKeeper.read()", () => {
  test("gives the plan of plan mode, or another file of the workspace", async () => {
    const { planFile } = await enter();
    writeFileSync(planFile, "# Plan\n\n1. First");
    writeFileSync(join(workspace, "PLAN.md"), "Second");
    const own = { planFile, text: "# Plan\n\n1. First", startedAtMs: now.getTime() };
    expect(await keeper.read(place(), null)).toEqual(own);
    const other = { ...own, planFile: join(workspace, "PLAN.md"), text: "Second" };
    expect(await keeper.read(place(), "PLAN.md")).toEqual(other);
    expect(await keeper.read(place(), other.planFile)).toEqual(other);
  });

  test("needs plan mode, and something written", async () => {
    expect(await failure(keeper.read(place(), null))).toStartWith("Plan mode is not active.");
    await enter();
    expect(await failure(keeper.read(place(), null))).toEndWith(
      "does not contain a plan yet. Write the plan there, then exit.",
    );
  });

  test.each([
    ["an absolute path", "/etc/passwd", /is not inside the workspace/],
    ["a way out", "../../../../etc/passwd", /is not inside the workspace/],
    ["a way out to nothing", "../missing.md", /is not inside the workspace/],
    ["a folder beside, with the same beginning", "../project-2/plan.md", /is not inside/],
    ["a link out", "link.md", /is not inside the workspace/],
    ["a link to a folder outside", "linked/secret.md", /is not inside the workspace/],
    ["the user's own files", "../home/.scorpiox/scorpiox.db", /is not inside the workspace/],
    ["a folder", ".scorpiox", /is not a regular file/],
    ["nothing", "missing.md", /The plan "missing.md" does not exist/],
    ["an empty path", " ", /`plan_file` is empty/],
    ["a NUL", "a\0b", /contains a NUL character/],
    ["far too long a path", "x".repeat(4_097), /the limit is 4096/],
  ])("refuses %s", async (_name, planFile, message) => {
    await enter();
    const secret = join(folder, "secret.md");
    mkdirSync(join(folder, "project-2"));
    for (const path of [secret, join(folder, "project-2/plan.md")]) writeFileSync(path, "secret");
    writeFileSync(join(scorpioxDir, "scorpiox.db"), "secret");
    symlinkSync(secret, join(workspace, "link.md"));
    symlinkSync(folder, join(workspace, "linked"));
    expect(await failure(keeper.read(place(), planFile))).toMatch(message);
  });

  test("reads plans of the user's own folder, and nothing else of it, also where it is in the workspace", async () => {
    await enter();
    const planFile = join(scorpioxDir, "plans/mine.md");
    writeFileSync(planFile, "Mine");
    expect(await keeper.read(place(), planFile)).toMatchObject({ planFile, text: "Mine" });
    workspace = join(folder, "home");
    writeFileSync(join(scorpioxDir, "key"), "secret");
    expect(await failure(keeper.read(place(), ".scorpiox/key"))).toContain("is not inside");
  });

  test("the file of plan mode is found from another folder of the same name for the workspace", async () => {
    const { planFile } = await enter();
    writeFileSync(planFile, "1. First");
    workspace = join(folder, "project-2");
    mkdirSync(workspace);
    expect(await keeper.read(place(), null)).toMatchObject({ planFile, text: "1. First" });
    expect(await failure(keeper.read(place(), planFile))).toContain("is not inside the workspace");
  });

  test("the file of plan mode may go, and may become a link: what to do is said", async () => {
    const { planFile } = await enter();
    rmSync(planFile);
    expect(await failure(keeper.read(place(), null))).toEndWith(
      "is gone. Put the plan there, give another `plan_file`, or drop plan mode with reset.",
    );
    symlinkSync("/etc/passwd", planFile);
    expect(await failure(keeper.read(place(), null))).toContain(" is now a link to /etc/passwd.");
  });

  test("a plan has at most a megabyte", async () => {
    const { planFile } = await enter();
    writeFileSync(planFile, "x".repeat(1024 * 1024));
    expect((await keeper.read(place(), null)).text).toHaveLength(1024 * 1024);
    writeFileSync(planFile, "x".repeat(1024 * 1024 + 1));
    expect(await failure(keeper.read(place(), null))).toContain("the limit for a plan is 1048576");
  });
});

test("PlanKeeper.exit() keeps the file, and says so only when plan mode was active", async () => {
  const { planFile, startedAtMs } = await enter();
  await keeper.exit(place(), startedAtMs);
  await keeper.exit(place(), startedAtMs);
  await keeper.reset(place());
  expect(existsSync(planFile)).toBe(true);
  expect(events.map((event) => "change" in event && event.change)).toEqual(["entered", "exited"]);
});

test("PlanKeeper.exit() ends no plan mode that began later", async () => {
  const { startedAtMs } = await enter();
  expect(await failure(keeper.exit(place(), startedAtMs - 1))).toStartWith(
    "Plan mode has been started again, with …/project/.scorpiox/plans/",
  );
  expect(await keeper.get(place())).toBeDefined();
});
