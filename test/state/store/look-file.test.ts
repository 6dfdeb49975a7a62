import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { chmodSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { migrations } from "../../../src/state/store/migrate.ts";
import { PlanLook, TaskLook } from "../../../src/state/store/look-file.ts";
import { StoreFile } from "../../../src/state/store/store-file.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { atThisLoad } from "../../fixtures/at-this-load.ts";

let root = "";
let path = "";
let plans: PlanLook;
let tasks: TaskLook;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scorpiox-look-"));
  path = join(root, "scorpiox.db");
  plans = new PlanLook(path);
  tasks = new TaskLook(path);
});
afterEach(() => {
  plans[Symbol.dispose]();
  tasks[Symbol.dispose]();
  rmSync(root, { recursive: true });
});

const scope = { workspace: "/w", owner: "" };
const plan = { goal: "g", planFile: "/w/p.md", startedAtMs: 5 };
const none = { kind: "seen", plan: null } as const;

/** As another process would change it. */
function change(at = path): void {
  const file = new StoreFile(at);
  file.perform([
    { method: "plans.set", request: { scope, plan } },
    { method: "tasks.perform", request: { scope, request: { action: "create", text: "a" } } },
  ]);
  file.close();
}

describe("PlanLook, TaskLook", () => {
  test("where there is no file nothing is kept, and none is made", () => {
    expect([plans.look(scope), tasks.revision(scope)]).toEqual([none, 0]);
    expect(readdirSync(root)).toEqual([]);
  });

  test("see what another process has changed, each scope its own", () => {
    expect(plans.look(scope)).toEqual(none);
    change();
    expect([plans.look(scope), tasks.revision(scope)]).toEqual([{ kind: "seen", plan }, 1]);
    const other = { workspace: "/w", owner: "somebody" };
    expect([plans.look(other), tasks.revision(other)]).toEqual([none, 0]);
  });

  test("follow a file that is replaced or removed", () => {
    using plansNow = new PlanLook(path, 0);
    using tasksNow = new TaskLook(path, 0);
    change(join(root, "other.db"));
    change();
    change();
    expect(tasksNow.revision(scope)).toBe(2);
    renameSync(join(root, "other.db"), path);
    expect(tasksNow.revision(scope)).toBe(1);
    rmSync(path);
    expect([plansNow.look(scope), tasksNow.revision(scope)]).toEqual([none, 0]);
  });

  test("look for another file at once where there was none, and else after a while", async () => {
    expect(tasks.revision(scope)).toBe(0);
    change();
    change();
    expect(tasks.revision(scope)).toBe(2);
    change(join(root, "other.db"));
    renameSync(join(root, "other.db"), path);
    await eventually("the other file is seen", () => tasks.revision(scope) === 1);
  });

  test("a file of an older version has neither", () => {
    const older = new Database(path);
    older.run(migrations[0] ?? "");
    older.close();
    expect([plans.look(scope), tasks.revision(scope)]).toEqual([none, 0]);
  });

  test("a damaged file is said to be unreadable, until it is not any more", () => {
    writeFileSync(path, "no database ".repeat(1_000));
    expect(plans.look(scope)).toEqual({
      kind: "unreadable",
      reason: expect.stringContaining(`${path}: file is not a database`),
    });
    expect(tasks.revision(scope)).toBeUndefined();
    change();
    expect(plans.look(scope)).toEqual({ kind: "seen", plan });
  });

  // Root may write everywhere.
  test.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
    "a folder that may not be written still tells what is in the file",
    () => {
      change();
      chmodSync(root, 0o500);
      expect([plans.look(scope), tasks.revision(scope)]).toEqual([{ kind: "seen", plan }, 1]);
      expect(readdirSync(root)).toEqual(["scorpiox.db"]);
      chmodSync(root, 0o700);
    },
  );

  test("a file that another process holds alone is said to be unreadable, without waiting", () => {
    const other = new Database(path);
    other.run("PRAGMA locking_mode = EXCLUSIVE");
    other.run("CREATE TABLE x (y)");
    const started = performance.now();
    expect(plans.look(scope).kind).toBe("unreadable");
    expect(performance.now() - started).toBeLessThan(atThisLoad(50));
    other.close();
  });
});
