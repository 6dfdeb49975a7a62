import * as z from "zod/mini";

import { formatDuration } from "../base/cut-text.ts";
import { planShownCharsMax } from "../base/limits.ts";
import { escapeUnsafe } from "../base/unsafe-characters.ts";
import type {
  PlanReply,
  PlanState,
  PlanText,
  QuestionsReply,
  QuestionsRequest,
} from "./state-services.ts";
import { defineTool, type ToolContext, type ToolOutput } from "./tool.ts";

const input = z.strictObject({
  action: z.enum(["enter", "exit", "status", "json", "reset"]).check(z.describe("Action to take")),
  goal: z.optional(z.string().check(z.describe("Goal of the plan (enter)"))),
  plan_file: z.optional(
    z.string().check(z.describe("Plan file; default: the file that enter created")),
  ),
});

const output = z.object({
  active: z.boolean(),
  goal: z.nullable(z.string()),
  plan_file: z.nullable(z.string()),
  started_at: z.nullable(z.string()),
});

type Input = z.output<typeof input>;
type Output = ToolOutput<z.output<typeof output>>;

export const planMode = defineTool({
  name: "PlanMode",
  title: "Plan before acting",
  description:
    "Plan mode: explore and write a plan, change nothing else. " +
    "enter (goal) creates the plan file: write the plan into it. " +
    "exit shows the plan to the user for approval and returns it. status and json report the state; reset drops it and keeps the file. " +
    "In plan mode, shell commands are read-only where the system can enforce it.",
  input,
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  async handler(args, context): Promise<Output> {
    switch (args.action) {
      case "enter":
        return enter(args, context);
      case "exit":
        return exit(args, context);
      case "status":
        return outputOf(await context.plan.status(), describe);
      case "json":
        return outputOf(await context.plan.status(), ({ state }) => JSON.stringify(shape(state)));
      case "reset":
        return reset(context);
    }
  },
});

async function enter({ goal = "", plan_file }: Input, { plan }: ToolContext): Promise<Output> {
  const planFile = plan_file ?? null;
  const reply = await plan.change({ action: "enter", goal, planFile });
  const lines = [
    "Plan mode activated",
    `Plan file: ${reply.state.planFile}`,
    "Explore with read-only commands and write the plan into that file; change nothing else. " +
      "When it is complete, call PlanMode with action exit.",
    ...reply.notes,
  ];
  return outputOf(reply, () => lines.join("\n"));
}

/** The user is asked before anything is changed, and asked again when the plan has changed since. */
async function exit({ plan_file }: Input, { plan, questions }: ToolContext): Promise<Output> {
  const written = await plan.read({ planFile: plan_file ?? null });
  const consent = await questions.ask(consentRequest(written));
  const refusal = refusalOf(consent);
  if (refusal !== undefined) {
    return outputOf(await plan.status(), () => `${refusal} Plan mode is still active.`);
  }
  const reply = await plan.change({ action: "exit", startedAtMs: written.startedAtMs });
  const how = consent.outcome === "unavailable" ? "Nobody could be asked" : "The user approved";
  const text = `Plan mode ended. ${how}. The plan (${written.planFile}):\n\n${written.text}`;
  return outputOf(reply, () => text);
}

async function reset({ plan }: ToolContext): Promise<Output> {
  const before = await plan.status();
  if (!before.state.active) return outputOf(before, () => "Plan mode was not active.");
  const reply = await plan.change({ action: "reset" });
  return outputOf(reply, () => `Plan mode was dropped. Its file is kept: ${before.state.planFile}`);
}

const approve = "Approve";
const keepPlanning = "Keep planning";

function consentRequest({ planFile, text }: PlanText): QuestionsRequest {
  const question = {
    question: `Leave plan mode and begin with this plan? (${visible(planFile)})\n\n${shownPlan(text)}`,
    header: "Plan",
    options: [
      { label: approve, description: "Work may begin; commands can write again" },
      {
        label: keepPlanning,
        description: "Nothing changes yet; use Other to say what is missing",
      },
    ],
    multiSelect: false,
    preselected: keepPlanning,
  };
  // Not a consent to a change of the machine: words are an answer too, and a page may be opened for it.
  return { questions: [question], purpose: "question" };
}

function shownPlan(text: string): string {
  const plan = visible(text);
  const rest = plan.length - planShownCharsMax;
  return rest <= 0
    ? plan
    : `${plan.slice(0, planShownCharsMax).toWellFormed()}\n… ${rest} more characters`;
}

/** The plan as the user sees and approves it: no character hides text or turns the reading direction. */
function visible(text: string): string {
  return escapeUnsafe(text.toWellFormed());
}

/** Undefined: go on. */
function refusalOf(reply: QuestionsReply): string | undefined {
  switch (reply.outcome) {
    case "unavailable":
      return reply.isTried === true
        ? "The plan could not be shown to the user, or the user did not answer. Show it in the chat; when the user agrees there, end plan mode with reset."
        : undefined;
    case "answered":
      return refusalIn(reply.answers[0]);
    case "pending":
      return "The user has not answered yet: the question is still open. Call exit again to get the answer.";
    case "timed_out":
      return "The user did not answer in time.";
    case "declined":
    case "cancelled":
      return "The user did not approve the plan.";
  }
}

function refusalIn(answer: { labels: readonly string[]; other: string | null } | undefined) {
  const words = answer?.other ?? null;
  if (words !== null && words.trim() !== "") {
    return `The user did not approve the plan and says: ${words.trim()}\n`;
  }
  return answer?.labels.includes(approve) === true
    ? undefined
    : "The user wants more work on the plan.";
}

function describe({ state, notes }: PlanReply): string {
  if (!state.active) return "Plan mode is not active.";
  const { goal, planFile, startedAtMs } = state;
  const since = startedAtMs === null ? 0 : Math.max(0, Date.now() - startedAtMs);
  const lines = [`Plan mode is active for ${formatDuration(since)}.`, `Goal: ${goal}`];
  return [...lines, `Plan file: ${planFile}`, ...notes].join("\n");
}

function outputOf(reply: PlanReply, text: (reply: PlanReply) => string): Output {
  return { text: text(reply), structured: shape(reply.state) };
}

function shape({ active, goal, planFile, startedAtMs }: PlanState): z.output<typeof output> {
  const startedAt = startedAtMs === null ? null : new Date(startedAtMs).toISOString();
  return { active, goal, plan_file: planFile, started_at: startedAt };
}
