import * as z from "zod/mini";

import { formatAmount } from "../base/cut-text.ts";
import { AppError } from "../base/errors.ts";
import { isObject } from "../base/values.ts";
import {
  questionLabelCharsMax,
  questionNoteCharsMax,
  questionOptionsMax,
  questionsJsonCharsMax,
  questionsMax,
  questionTextCharsMax,
} from "../base/limits.ts";
import type { Answer, Question, QuestionOption, QuestionsReply, Rung } from "./state-services.ts";
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
  touchesFiles: false,
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

const optionsMin = 2;

type Members = Readonly<Record<string, unknown>>;

/**
 * The questions in the text of `questions_json`: a list, or an object with a list under `questions`.
 * @throws AppError `usage` that names the place and its fault
 */
export function parseQuestions(json: string): readonly Question[] {
  if (json.length > questionsJsonCharsMax) {
    const bound = `${json.length} characters, of ${questionsJsonCharsMax} at most`;
    throw wrong("questions_json", `has ${bound}; ask less, or in fewer words`);
  }
  const list = listOf(parseJson(json));
  if (list.length === 0) throw wrong("questions", "is empty; ask at least one question");
  if (list.length > questionsMax) {
    throw wrong("questions", `has ${list.length} questions, of ${questionsMax} at most; ask twice`);
  }
  const questions = list.map((each, index) => readQuestion(each, `questions[${index}]`));
  assertDistinct(
    questions.map(({ question }) => question),
    (index) => `questions[${index}].question`,
  );
  return questions;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "not JSON";
    throw wrong("questions_json", `is not valid JSON (${reason})`);
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const members = membersOf(value, "questions_json", ["questions"], "an array of questions");
  if (Array.isArray(members["questions"])) return members["questions"];
  throw wrong("questions", `must be an array, not ${kindOf(members["questions"])}`);
}

function readQuestion(value: unknown, place: string): Question {
  const names = ["question", "header", "options", "multiSelect"];
  const { question, header, options, multiSelect } = membersOf(value, place, names, "an object");
  if (multiSelect !== undefined && multiSelect !== null && typeof multiSelect !== "boolean") {
    throw wrong(`${place}.multiSelect`, `must be true or false, not ${kindOf(multiSelect)}`);
  }
  return {
    question: textOf(question, `${place}.question`, questionTextCharsMax),
    header: optionalText(header, `${place}.header`, questionLabelCharsMax),
    options: readOptions(options, `${place}.options`),
    multiSelect: multiSelect === true,
  };
}

function readOptions(value: unknown, place: string): readonly QuestionOption[] {
  if (!Array.isArray(value)) throw wrong(place, `must be an array, not ${kindOf(value)}`);
  if (value.length < optionsMin || value.length > questionOptionsMax) {
    const bounds = `${optionsMin} to ${questionOptionsMax} are allowed`;
    throw wrong(place, `has ${formatAmount(value.length, "option")}; ${bounds}`);
  }
  const options = value.map((each, index) => readOption(each, `${place}[${index}]`));
  const labels = options.map(({ label }) => label);
  const other = labels.findIndex((label) => label.toLowerCase() === "other");
  if (other >= 0) {
    throw wrong(`${place}[${other}]`, 'is "Other", which is always offered; leave it out');
  }
  assertDistinct(labels, (index) => `${place}[${index}]`);
  return options;
}

function readOption(value: unknown, place: string): QuestionOption {
  if (typeof value === "string") {
    return { label: lineOf(value, place, questionLabelCharsMax), description: null };
  }
  const expected = "a string or an object with a label";
  const { label, description } = membersOf(value, place, ["label", "description"], expected);
  return {
    label: lineOf(label, `${place}.label`, questionLabelCharsMax),
    description: optionalText(description, `${place}.description`, questionNoteCharsMax),
  };
}

function membersOf(
  value: unknown,
  place: string,
  names: readonly string[],
  expected: string,
): Members {
  if (!isObject(value)) throw wrong(place, `must be ${expected}, not ${kindOf(value)}`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return value;
  const shown = JSON.stringify(unknown.slice(0, 60));
  throw wrong(place, `has an unknown property ${shown}; known: ${names.join(", ")}`);
}

function optionalText(value: unknown, place: string, charsMax: number): string | null {
  if (value === undefined || value === null || value === "") return null;
  return textOf(value, place, charsMax);
}

function textOf(value: unknown, place: string, charsMax: number): string {
  if (typeof value !== "string") throw wrong(place, `must be a string, not ${kindOf(value)}`);
  const text = value.toWellFormed().trim();
  if (text === "") throw wrong(place, "is empty");
  if (text.length <= charsMax) return text;
  throw wrong(place, `has ${text.length} characters, of ${charsMax} at most`);
}

/** Options are shown in lists, one line each. */
function lineOf(value: unknown, place: string, charsMax: number): string {
  return textOf(value, place, charsMax).replaceAll(/\s+/g, " ");
}

/** In any case: people, and the forms of some clients, write options by hand. */
function assertDistinct(texts: readonly string[], placeOf: (index: number) => string): void {
  const places = new Map<string, number>();
  for (const [index, text] of texts.entries()) {
    const earlier = places.get(text.toLowerCase());
    if (earlier !== undefined) {
      const shown = JSON.stringify(text.slice(0, 60));
      throw wrong(placeOf(index), `is ${shown}, the same as ${placeOf(earlier)}`);
    }
    places.set(text.toLowerCase(), index);
  }
}

function kindOf(value: unknown): string {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

function wrong(place: string, problem: string): AppError {
  const form = '[{"question": "…", "options": ["…", "…"]}]';
  const text = `${place} ${problem.replace(", not absent", "; it is missing")}.`;
  return new AppError("usage", `${text} Nobody was asked. The form is ${form}.`);
}
