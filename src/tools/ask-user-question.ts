import * as z from "zod/mini";

import { parseQuestions } from "./questions-json.ts";
import type { Answer, Question, QuestionsReply, Rung } from "./state-services.ts";
import { defineTool, type ToolOutput } from "./tool.ts";

const places: Readonly<Record<Rung, string>> = {
  elicitation: "in their client",
  terminal: "in an attached terminal",
  page: "on a page in their browser",
};

/** The meaning of a reply for the model: the outcome and the next step. */
function questionsText(questions: readonly Question[], reply: QuestionsReply): string {
  switch (reply.outcome) {
    case "answered":
      return questions.map((each, index) => answerText(each, reply.answers[index])).join("\n\n");
    case "declined":
      return `The user declined to answer, ${places[reply.rung]}. Do not ask the same again; continue without an answer, or ask in the chat how to continue.`;
    case "cancelled":
      return `The user closed the question without an answer, ${places[reply.rung]}. Ask in the chat if you cannot continue without an answer.`;
    case "timed_out":
      return `Nobody answered in time; the question ${places[reply.rung]} is closed. Ask in the chat, or ask again when the user is back.`;
    case "pending":
      return `pending: question ${reply.questionId} is still open ${places[reply.rung]}. Continue with work that does not need the answer; call AskUserQuestion again with exactly the same questions_json to get it.`;
    case "unavailable":
      return `There is nowhere to show a question. Ask in the chat, and wait for the reply:\n\n${questions.map(chatText).join("\n\n")}`;
  }
}

function answerText({ question }: Question, answer: Answer | undefined): string {
  const chosen = answer?.labels.map((label) => `- ${label}`) ?? [];
  const other = answer?.other ?? null;
  const own = other === null ? [] : [`- in their own words: ${other}`];
  return [question, ...chosen, ...own].join("\n");
}

function chatText({ question, options, multiSelect }: Question): string {
  const lines = options.map(({ label, description }) =>
    description === null ? `- ${label}` : `- ${label}: ${description}`,
  );
  const rule = multiSelect ? " (any number of these)" : "";
  return [`${question}${rule}`, ...lines, "- Other: an answer in their own words"].join("\n");
}

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
