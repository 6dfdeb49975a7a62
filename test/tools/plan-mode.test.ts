import { describe, expect, test } from "bun:test";

import type {
  PlanChange,
  PlanState,
  QuestionsReply,
  QuestionsRequest,
} from "../../src/tools/state-services.ts";
import { planMode } from "../../src/tools/plan-mode.ts";
import type { ToolContext } from "../../src/tools/tool.ts";
import { fakeContext } from "./fake-context.ts";

const startedAtMs = Date.UTC(2026, 10, 5);
const planFile = "/w/.scorpiox/plans/plan.md";
const active: PlanState = { active: true, goal: "Add a login", planFile, startedAtMs };
const inactive: PlanState = { active: false, goal: null, planFile: null, startedAtMs: null };
const activeShape = {
  active: true,
  goal: "Add a login",
  plan_file: planFile,
  started_at: "2026-11-05T00:00:00.000Z",
};
const inactiveShape = { active: false, goal: null, plan_file: null, started_at: null };

/** A context whose plan mode is in `state`, whose user answers `reply`, and what it was asked. */
function contextOf(
  state: PlanState,
  reply: QuestionsReply = { outcome: "unavailable" },
  plan = "1. First\n",
) {
  const asked: (PlanChange | QuestionsRequest)[] = [];
  const context: ToolContext = fakeContext({
    plan: {
      status: () => Promise.resolve({ state, notes: state.active ? ["A note."] : [] }),
      read: () => Promise.resolve({ planFile, text: plan, startedAtMs }),
      change: (request) => {
        asked.push(request);
        const isEnter = request.action === "enter";
        return Promise.resolve({
          state: isEnter ? active : inactive,
          notes: isEnter ? ["A note."] : [],
        });
      },
    },
    questions: {
      ask: (request) => {
        asked.push(request);
        return Promise.resolve(reply);
      },
    },
  });
  return { asked, context };
}

test("PlanMode enter says where to write, and what holds", async () => {
  const { asked, context } = contextOf(inactive);
  const { text, structured } = await planMode.handler(
    { action: "enter", goal: "Add a login" },
    context,
  );
  expect(text.split("\n")).toEqual([
    "Plan mode activated",
    `Plan file: ${planFile}`,
    expect.stringContaining("Explore with read-only commands"),
    "A note.",
  ]);
  expect(structured).toEqual(activeShape);
  expect(asked).toEqual([{ action: "enter", goal: "Add a login", planFile: null }]);
});

test.each([
  [
    "status",
    active,
    /^Plan mode is active for .+\nGoal: Add a login\nPlan file: \/w.+\nA note\.$/,
    activeShape,
  ],
  ["status", inactive, /^Plan mode is not active\.$/, inactiveShape],
  ["reset", active, /^Plan mode was dropped\. Its file is kept: \/w/, inactiveShape],
  ["reset", inactive, /^Plan mode was not active\.$/, inactiveShape],
] as const)("PlanMode %s", async (action, state, text, shape) => {
  const output = await planMode.handler({ action }, contextOf(state).context);
  expect(output.text).toMatch(text);
  expect(output.structured).toEqual(shape);
});

test("PlanMode json is its structure as text", async () => {
  const { text } = await planMode.handler({ action: "json" }, contextOf(active).context);
  expect(JSON.parse(text)).toEqual(activeShape);
});

describe("PlanMode exit", () => {
  const answered = (labels: string[], other: string | null = null): QuestionsReply => ({
    outcome: "answered",
    rung: "elicitation",
    answers: [{ labels, other }],
  });

  test.each([
    ["approved", answered(["Approve"]), /^Plan mode ended\. The user approved\./],
    ["nobody to ask", { outcome: "unavailable" }, /^Plan mode ended\. Nobody could be asked\./],
  ] as const)("%s: the plan comes back and plan mode is over", async (_name, reply, text) => {
    const { asked, context } = contextOf(active, reply);
    const output = await planMode.handler({ action: "exit" }, context);
    expect(output.text).toMatch(text);
    expect(output.text).toEndWith(`The plan (${planFile}):\n\n1. First\n`);
    expect(output.structured).toEqual(inactiveShape);
    expect(asked.at(-1)).toEqual({ action: "exit", startedAtMs });
  });

  test.each([
    ["refused", answered(["Keep planning"]), "The user wants more work on the plan."],
    ["nothing chosen", answered([]), "The user wants more work on the plan."],
    [
      "approved with words",
      answered(["Approve"], "but with tests"),
      "The user did not approve the plan and says: but with tests\n",
    ],
    ["declined", { outcome: "declined", rung: "page" }, "The user did not approve the plan."],
    ["cancelled", { outcome: "cancelled", rung: "page" }, "The user did not approve the plan."],
    [
      "no answer in time",
      { outcome: "timed_out", rung: "page" },
      "The user did not answer in time.",
    ],
    [
      "asked, with no answer that counts",
      { outcome: "unavailable", isTried: true },
      "The plan could not be shown to the user, or the user did not answer. Show it in the chat; when the user agrees there, end plan mode with reset.",
    ],
    [
      "no answer yet",
      { outcome: "pending", rung: "terminal", questionId: "q1" },
      "The user has not answered yet: the question is still open. Call exit again to get the answer.",
    ],
  ] as const)("%s: plan mode stays", async (_name, reply, why) => {
    const { asked, context } = contextOf(active, reply);
    const { text, structured } = await planMode.handler({ action: "exit" }, context);
    expect(text).toBe(`${why} Plan mode is still active.`);
    expect(structured).toEqual(activeShape);
    expect(asked).toHaveLength(1);
  });

  test("the user sees what is hidden in a plan, and how much is not shown", async () => {
    const hidden = `1. \u202Eecho\u{e0041}\ud800\n${"x".repeat(7_000)}`;
    const { asked, context } = contextOf(active, answered(["Approve"]), hidden);
    await planMode.handler({ action: "exit" }, context);
    const [request] = asked as QuestionsRequest[];
    const [question, ...lines] = request?.questions[0]?.question.split("\n") ?? [];
    expect(question).toBe(`Leave plan mode and begin with this plan? (${planFile})`);
    expect(lines).toEqual([
      "",
      "1. \\u{202e}echo\\u{e0041}\uFFFD",
      expect.stringMatching(/^x{5900,}$/),
      "… 1026 more characters",
    ]);
  });
});
