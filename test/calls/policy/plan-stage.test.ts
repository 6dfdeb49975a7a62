import { describe, expect, test } from "bun:test";

import type { CallRequest } from "../../../src/calls/call.ts";
import type { CallTarget } from "../../../src/calls/call-target.ts";
import type { Refusal } from "../../../src/calls/gate/gate-stage.ts";
import { PlanStage } from "../../../src/calls/policy/policy-stage.ts";
import { rights } from "../upstream/fake-upstreams.ts";

const timed = rights("web");
const writing: CallTarget = {
  kind: "tool",
  server: "web",
  tool: "put",
  rights: timed,
  hasOutputSchema: false,
};
const hinted: CallTarget = { ...writing, annotations: { readOnlyHint: true } };

function called(target: CallTarget | undefined): CallRequest {
  return { name: "mcp__web__put", target } as unknown as CallRequest;
}

const refusal: Refusal = {
  decision: "denied",
  text:
    "mcp__web__put was not called: plan mode is active, and its approved definition does not say that it only reads. " +
    "Go on with tools that read, or end plan mode: PlanMode with action exit. " +
    "There are two ways to have it called while a plan is made, both of them the user's: " +
    "the server marks it with readOnlyHint: true and that definition is approved (scorpiox-code mcp approve web), " +
    'or the user\'s own entry of the server web says policy = "allow".',
};

describe("PlanStage", () => {
  test.each<[string, CallTarget | undefined, boolean]>([
    ["a tool of ours", undefined, false],
    ["the search", { kind: "search" }, false],
    ["a tool that is not there", { kind: "unresolved", text: "", isResult: true }, false],
    ["a tool that says nothing", writing, true],
    ["a hint that nobody has approved", hinted, true],
    ["a hint that was approved", { ...hinted, isReadOnly: true }, false],
    ["a server that is asked about", { ...writing, rights: { ...timed, policy: "ask" } }, true],
    ["a server that the user allows", { ...writing, rights: { ...timed, policy: "allow" } }, false],
  ])("while a plan is made: %s", async (_about, target, isRefused) => {
    let looks = 0;
    const stage = new PlanStage(() => {
      looks += 1;
      return Promise.resolve({ planFile: "p" });
    });
    expect(await stage.check(called(target))).toEqual(isRefused ? refusal : undefined);
    // What is not refused anyway costs no look at the store.
    expect(looks).toBe(isRefused ? 1 : 0);
  });

  test("without a plan everything is let through, at once where the plan is known at once", async () => {
    const later = new PlanStage(() => Promise.resolve(undefined));
    expect(await later.check(called(writing))).toBeUndefined();
    expect(new PlanStage(() => undefined).check(called(writing))).toBeUndefined();
  });

  test("a plan that is known at once refuses as well", async () => {
    expect(await new PlanStage(() => ({ planFile: "p" })).check(called(writing))).toEqual(refusal);
  });
});
