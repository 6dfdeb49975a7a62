import { expect, test } from "bun:test";

import { activePlanOf } from "../../src/compose/plan.ts";
import { RouterHarness } from "../calls/router-harness.ts";

type Plans = Parameters<typeof activePlanOf>[0];
type Sight = ReturnType<Plans["look"]>;

const plan = { goal: "g", planFile: "/w/plan.md", startedAtMs: 1 };
const nobody = (): Promise<never> => Promise.reject(new Error("no store"));
const unreadable: Sight = { kind: "unreadable", reason: "held" };

function plansWith(sight: Sight, status: Plans["service"]["status"] = nobody): Plans {
  const service = { status, read: nobody, change: nobody };
  return { look: () => sight, service };
}

const active = { state: { active: true, ...plan }, notes: [] };
const inactive = {
  state: { active: false, goal: null, planFile: null, startedAtMs: null },
  notes: [],
};

test.each([
  ["none", plansWith({ kind: "seen", plan: null }), undefined, 0],
  ["one", plansWith({ kind: "seen", plan }), plan.planFile, 0],
  [
    "one that the store finds",
    plansWith(unreadable, () => Promise.resolve(active)),
    plan.planFile,
    0,
  ],
  [
    "none that the store finds",
    plansWith(unreadable, () => Promise.resolve(inactive)),
    undefined,
    0,
  ],
  ["a store that cannot be read: said once", plansWith(unreadable), undefined, 1],
])("activePlanOf(): %s", async (_name, plans, planFile, warnings) => {
  await using harness = new RouterHarness();
  const warned: string[] = [];
  const activePlan = activePlanOf(plans, (message) => warned.push(message));
  const call = harness.request("Bash", {});
  await activePlan(call);
  expect([(await activePlan(call))?.planFile, warned.length]).toEqual([planFile, warnings]);
});

test("activePlanOf(): a plan that was active holds on while the store cannot be read, until it is seen to be over", async () => {
  await using harness = new RouterHarness();
  let sight: Sight = { kind: "seen", plan };
  const look: Plans["look"] = () => sight;
  const activePlan = activePlanOf({ ...plansWith(unreadable), look }, () => {});
  const call = harness.request("Bash", {});
  const held: (string | undefined)[] = [];
  for (sight of [sight, unreadable, { kind: "seen", plan: null }, unreadable] as const) {
    held.push((await activePlan(call))?.planFile);
  }
  expect(held).toEqual([plan.planFile, plan.planFile, undefined, undefined]);
});
