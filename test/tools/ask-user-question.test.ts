import { expect, test } from "bun:test";

import { askUserQuestion } from "../../src/tools/ask-user-question.ts";
import type { QuestionsReply } from "../../src/tools/state-services.ts";
import type { ToolContext } from "../../src/tools/tool.ts";

const json = JSON.stringify([
  { question: "Which color?", options: ["red", { label: "blue", description: "as the sky" }] },
  { question: "Which sizes?", options: ["S", "M"], multiSelect: true },
]);

async function outputOf(reply: QuestionsReply): Promise<unknown> {
  const context = { questions: { ask: () => Promise.resolve(reply) } } as unknown as ToolContext;
  return askUserQuestion.handler({ questions_json: json }, context);
}

const nothing = { questionId: null, answers: [] };

test.each<[QuestionsReply, string, object]>([
  [
    {
      outcome: "answered",
      rung: "page",
      answers: [
        { labels: ["blue"], other: null },
        { labels: ["S"], other: "and XXL" },
      ],
    },
    "Which color?\n- blue\n\nWhich sizes?\n- S\n- in their own words: and XXL",
    {
      outcome: "answered",
      questionId: null,
      answers: [
        { question: "Which color?", labels: ["blue"], other: null },
        { question: "Which sizes?", labels: ["S"], other: "and XXL" },
      ],
    },
  ],
  [
    { outcome: "declined", rung: "elicitation" },
    "The user declined to answer, in their client. Do not ask the same again; continue without an answer, or ask in the chat how to continue.",
    { outcome: "declined", ...nothing },
  ],
  [
    { outcome: "cancelled", rung: "terminal" },
    "The user closed the question without an answer, in an attached terminal. Ask in the chat if you cannot continue without an answer.",
    { outcome: "cancelled", ...nothing },
  ],
  [
    { outcome: "timed_out", rung: "page" },
    "Nobody answered in time; the question on a page in their browser is closed. Ask in the chat, or ask again when the user is back.",
    { outcome: "timed_out", ...nothing },
  ],
  [
    { outcome: "pending", rung: "page", questionId: "ab" },
    "pending: question ab is still open on a page in their browser. Continue with work that does not need the answer; call AskUserQuestion again with exactly the same questions_json to get it.",
    { outcome: "pending", questionId: "ab", answers: [] },
  ],
  [
    { outcome: "unavailable" },
    "There is nowhere to show a question. Ask in the chat, and wait for the reply:\n\n" +
      "Which color?\n- red\n- blue: as the sky\n- Other: an answer in their own words\n\n" +
      "Which sizes? (any number of these)\n- S\n- M\n- Other: an answer in their own words",
    { outcome: "unavailable", ...nothing },
  ],
])("AskUserQuestion tells %p", async (reply, text, structured) => {
  expect(await outputOf(reply)).toEqual({ text, structured });
});
