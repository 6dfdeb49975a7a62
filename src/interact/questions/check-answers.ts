import { questionOtherCharsMax } from "../../base/limits.ts";
import type { Answer, QuestionsRequest } from "../../tools/question-service.ts";

/** The problem of an answer, and its question. */
export interface AnswerProblem {
  /** Place of the question. */
  readonly index: number;
  /** For the person who answers. */
  readonly text: string;
}

/** All that keeps the answers from being answers to these questions; empty when nothing does. */
export function problemsOfAnswers(
  { questions, purpose }: QuestionsRequest,
  answers: readonly Answer[],
): readonly AnswerProblem[] {
  return questions.flatMap((question, index): AnswerProblem[] => {
    const text = problemOf(question, answers[index], purpose);
    return text === undefined ? [] : [{ index, text }];
  });
}

function problemOf(
  { options, multiSelect }: QuestionsRequest["questions"][number],
  answer: Answer | undefined,
  purpose: QuestionsRequest["purpose"],
): string | undefined {
  if (answer === undefined || (answer.labels.length === 0 && answer.other === null)) {
    const words = purpose === "consent" ? "" : ", or write an answer under Other";
    return multiSelect ? `Choose at least one option${words}.` : `Choose an option${words}.`;
  }
  const known = new Set(options.map(({ label }) => label));
  const stranger = answer.labels.find((label) => !known.has(label));
  if (stranger !== undefined) return `"${stranger.slice(0, 60)}" is not one of the options.`;
  if (new Set(answer.labels).size < answer.labels.length) return "An option was chosen twice.";
  if (!multiSelect && answer.labels.length > 1) return "Choose only one option.";
  const count = answer.other?.length ?? 0;
  if (count <= questionOtherCharsMax) return undefined;
  return `The answer has ${count} characters, of ${questionOtherCharsMax} at most.`;
}

/** Problems as one text, for those who are shown nothing else. */
export function problemText(problems: readonly AnswerProblem[], count: number): string {
  const lines = problems.map(({ index, text }) =>
    count === 1 ? text : `Question ${index + 1}: ${text}`,
  );
  return lines.join("\n");
}
