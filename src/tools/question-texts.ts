import type { Answer, Question, QuestionsReply, Rung } from "./question-service.ts";

const places: Readonly<Record<Rung, string>> = {
  elicitation: "in their client",
  terminal: "in an attached terminal",
  page: "on a page in their browser",
};

/** The meaning of a reply for the model: the outcome and the next step. */
export function questionsText(questions: readonly Question[], reply: QuestionsReply): string {
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
