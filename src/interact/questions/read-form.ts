import { isObject, type Params } from "../../protocol/json-rpc.ts";
import type { Answer, Question } from "../../tools/question-service.ts";
import { choiceField, otherField } from "./question-form.ts";

/** The answers in the content of a form, one for each question; empty ones are missing. */
export function readForm(questions: readonly Question[], { content }: Params): readonly Answer[] {
  const fields = isObject(content) ? content : {};
  return questions.map((question, index) =>
    answerOf(question, fields[choiceField(index)], fields[otherField(index)]),
  );
}

/** Clients show lists of options with the first one chosen already: words that were written mean more than that. */
function answerOf({ multiSelect }: Question, chosen: unknown, words: unknown): Answer {
  const other = typeof words === "string" && words.trim() !== "" ? words.trim() : null;
  if (other !== null && !multiSelect) return { labels: [], other };
  const list: readonly unknown[] = Array.isArray(chosen) ? chosen : [chosen];
  return {
    labels: list.filter((each) => typeof each === "string" && each !== "") as string[],
    other,
  };
}
