import type { Answer, Question } from "../../../tools/state-services.ts";

/** A person's action on the page. */
export type PagePost =
  | { readonly kind: "answer"; readonly answers: readonly Answer[] }
  | { readonly kind: "decline" | "cancel" };

/** The value of the option that stands for words of one's own. */
export const otherValue = "other";

export function choiceName(index: number): string {
  return `answer${index + 1}`;
}

export function wordsName(index: number): string {
  return `words${index + 1}`;
}

/** Reads a submitted form; drops unknown options, so that the check finds the answer missing. */
export function readPost(questions: readonly Question[], fields: URLSearchParams): PagePost {
  const action = fields.get("action");
  if (action === "decline" || action === "cancel") return { kind: action };
  return { kind: "answer", answers: questions.map((each, i) => answerOf(each, i, fields)) };
}

/** Nothing is chosen when the page opens, so options that are chosen were meant, and words are besides them. */
function answerOf({ options }: Question, index: number, fields: URLSearchParams): Answer {
  const values = new Set(fields.getAll(choiceName(index)));
  const labels = options.flatMap(({ label }, place) => (values.has(String(place)) ? [label] : []));
  const words = (fields.get(wordsName(index)) ?? "").replaceAll("\r\n", "\n").trim();
  return { labels, other: words === "" ? null : words };
}
