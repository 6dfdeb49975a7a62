import * as z from "zod/mini";

import { AppError } from "../base/errors.ts";
import { defineTool } from "./tool.ts";

const input = z.strictObject({
  questions_json: z
    .string()
    .check(
      z.describe(
        "JSON: [{question, header?, options: [{label, description?}], multiSelect?}], 1-4 questions, 2-10 options",
      ),
    ),
});

const output = z.object({
  outcome: z.string(),
  questionId: z.nullable(z.string()),
  answers: z.array(
    z.object({
      question: z.string(),
      labels: z.array(z.string()),
      other: z.nullable(z.string()),
    }),
  ),
});

export const askUserQuestion = defineTool({
  name: "AskUserQuestion",
  title: "Ask the user",
  description:
    "Asks the user to choose: 1 to 4 questions with options each; an answer in their own words is always possible. " +
    "If it answers `pending`, ask the same again later to get the answer. " +
    "If nobody can be shown a question, ask it in the chat.",
  input,
  output,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  handler() {
    throw new AppError("unsupported", "This is not built yet.");
  },
});
