import { formatAmount } from "../base/cut-text.ts";
import { AppError } from "../base/errors.ts";
import {
  questionLabelCharsMax,
  questionNoteCharsMax,
  questionOptionsMax,
  questionsJsonCharsMax,
  questionsMax,
  questionTextCharsMax,
} from "../base/limits.ts";
import type { Question, QuestionOption } from "./state-services.ts";

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
  if (!isMembers(value)) throw wrong(place, `must be ${expected}, not ${kindOf(value)}`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return value;
  const shown = JSON.stringify(unknown.slice(0, 60));
  throw wrong(place, `has an unknown property ${shown}; known: ${names.join(", ")}`);
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
