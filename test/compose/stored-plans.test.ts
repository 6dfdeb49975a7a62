import { expect, test } from "bun:test";

import { StoredPlans } from "../../src/compose/plan.ts";
import type { PlanSight } from "../../src/state/store/look-file.ts";

const scope = { workspace: "/w", owner: "" };
const plan = { goal: "g", planFile: "/w/plan.md", startedAtMs: 1 };
const broken = { call: () => Promise.reject(new Error("read-only")) };

test.each<[string, PlanSight, unknown]>([
  ["a plan that is seen", { kind: "seen", plan }, plan],
  ["none that is seen", { kind: "seen", plan: null }, undefined],
  ["nothing that is seen", { kind: "unreadable", reason: "held" }, new Error("read-only")],
])("StoredPlans.get() of a store that cannot be asked: %s", async (_name, sight, expected) => {
  const plans = new StoredPlans(broken, { look: () => sight });
  expect(await plans.get(scope).catch((error: unknown) => error)).toEqual(expected);
});
