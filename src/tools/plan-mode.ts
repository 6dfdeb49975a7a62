import * as z from "zod/mini";

import { AppError } from "../base/errors.ts";
import type { PlanReply } from "./plan-service.ts";
import { defineTool } from "./tool.ts";

const input = z.strictObject({
  action: z.enum(["enter", "exit", "status", "json", "reset"]).check(z.describe("What to do")),
  goal: z.optional(z.string().check(z.describe("What the plan is for (enter)"))),
  plan_file: z.optional(
    z.string().check(z.describe("The plan's file; default: the one that enter made")),
  ),
});

const output = z.object({
  active: z.boolean(),
  goal: z.nullable(z.string()),
  plan_file: z.nullable(z.string()),
  started_at: z.nullable(z.string()),
});

export const planMode = defineTool({
  name: "PlanMode",
  title: "Plan before acting",
  description:
    "Plan mode: explore and write a plan, change nothing else. " +
    "enter (goal) makes the plan file; write the plan into it. " +
    "exit shows the plan to the user for approval. status and json tell the state; reset drops it and keeps the file. " +
    "Meanwhile shell commands are read-only where the system can enforce it.",
  input,
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  async handler(args, context) {
    if (args.action === "status")
      return { text: "", structured: structuredOf(await context.plan.status()) };
    throw new AppError("unsupported", "This is not built yet.");
  },
});

function structuredOf({ state }: PlanReply): z.output<typeof output> {
  const { active, goal, planFile, startedAtMs } = state;
  const startedAt = startedAtMs === null ? null : new Date(startedAtMs).toISOString();
  return { active, goal, plan_file: planFile, started_at: startedAt };
}
