import * as z from "zod/mini";

import type { Question, QuestionsReply } from "./question-service.ts";
import { questionsText } from "./question-texts.ts";
import { parseQuestions } from "./questions-json.ts";
import { defineTool, type ToolOutput } from "./tool.ts";

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
  outcome: z.enum(["answered", "declined", "cancelled", "timed_out", "pending", "unavailable"]),
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
    "Asks the user 1 to 4 multiple-choice questions; an answer in their own words is always possible. " +
    "If the result is `pending`, ask the same questions again later to get the answer. " +
    "If no question can be shown, ask in the chat.",
  input,
  output,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  taskSupport: "optional",
  async handler({ questions_json: json }, { questions: service }) {
    const questions = parseQuestions(json);
    return outputOf(questions, await service.ask({ questions, purpose: "question" }));
  },
});

function outputOf(
  questions: readonly Question[],
  reply: QuestionsReply,
): ToolOutput<z.output<typeof output>> {
  const { outcome } = reply;
  const answers = outcome === "answered" ? reply.answers : [];
  const structured = {
    outcome,
    questionId: outcome === "pending" ? reply.questionId : null,
    answers: answers.map(({ labels, other }, index) => ({
      question: questions[index]?.question ?? "",
      labels: [...labels],
      other,
    })),
  };
  return { text: questionsText(questions, reply), structured };
}
