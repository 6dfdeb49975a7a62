import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PlanLook } from "../../../src/store/plan-look.ts";
import { StoreClient } from "../../../src/store/worker/store-client.ts";

let root = "";
let path = "";
let warnings: string[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scorpiox-store-client-"));
  path = join(root, "home/scorpiox.db");
  warnings = [];
});
afterEach(() => rmSync(root, { recursive: true }));

const workerUrl = new URL("../../../src/store-worker.ts", import.meta.url).href;
const newClient = (): StoreClient =>
  new StoreClient({
    createWorker: () => new Worker(workerUrl),
    path,
    warn: (message) => warnings.push(message),
  });
const scope = { workspace: "/w", owner: "" };
const plan = { goal: "g", planFile: "/w/p.md", startedAtMs: 5 };

describe("StoreClient", () => {
  test("keeps the plan of a scope, for others and for the look of the main thread", async () => {
    await using client = newClient();
    const look = new PlanLook(path);
    expect(look.look(scope)).toEqual({ kind: "seen", plan: null });
    expect(await client.call("plans.set", { scope, plan })).toEqual({
      value: { isSet: true, plan },
      notices: [],
    });
    expect(look.look(scope)).toEqual({ kind: "seen", plan });
    const other = { goal: "o", planFile: "/w/o.md", startedAtMs: 6 };
    const { value } = await client.call("plans.set", { scope, plan: other });
    expect(value).toEqual({ isSet: false, plan });
    expect((await client.call("plans.clear", { scope })).value).toEqual(plan);
    expect((await client.call("plans.get", { scope })).value).toBeNull();
    expect(look.look(scope)).toEqual({ kind: "seen", plan: null });
    look.close();
    expect(warnings).toEqual([]);
  });
});
