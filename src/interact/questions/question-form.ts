import { questionOtherCharsMax } from "../../base/limits.ts";
import type { FormElicitation, FormField } from "../../protocol/input-request.ts";
import type { Question, QuestionsRequest } from "../../tools/question-service.ts";

/** The name of the field with the options of the question at `index`. */
export function choiceField(index: number): string {
  return `answer${index + 1}`;
}

/** The name of the field for words of one's own. */
export function otherField(index: number): string {
  return `other${index + 1}`;
}

/**
 * The questions as a form for the client: for each a field with its options, and one for other words. Neither is
 * required, since one of them is enough; that one is there is looked at when the form comes back.
 * @param problem why it is asked again
 */
export function questionForm(
  { questions, purpose }: QuestionsRequest,
  problem?: string,
): FormElicitation {
  const entries = questions.flatMap((question, index): [string, FormField][] => {
    const isOnly = questions.length === 1;
    const choice: [string, FormField] = [choiceField(index), optionsField(question, index, isOnly)];
    return purpose === "consent" ? [choice] : [choice, [otherField(index), wordsField(question)]];
  });
  const required =
    purpose === "consent" ? { required: questions.map((_, i) => choiceField(i)) } : {};
  const message = messageOf(questions);
  return {
    method: "elicitation/create",
    params: {
      message: problem === undefined ? message : `${problem}\n\n${message}`,
      requestedSchema: { type: "object", properties: Object.fromEntries(entries), ...required },
    },
  };
}

function messageOf(questions: readonly Question[]): string {
  const [only] = questions;
  if (questions.length === 1 && only !== undefined) return only.question;
  const lines = questions.map(({ question }, index) => `${index + 1}. ${question}`);
  return [`There are ${questions.length} questions for you.`, ...lines].join("\n");
}

function optionsField(question: Question, index: number, isOnly: boolean): FormField {
  const { options, header, multiSelect, preselected } = question;
  const title = header ?? (isOnly ? "Answer" : `Question ${index + 1}`);
  const about = isOnly ? {} : { description: question.question };
  const hasNotes = options.some(({ description }) => description !== null);
  const values = options.map(({ label }) => label);
  const titled = options.map(({ label, description }) => ({
    const: label,
    title: description === null ? label : `${label}: ${description}`,
  }));
  if (multiSelect) {
    const items = hasNotes ? { anyOf: titled } : { type: "string", enum: values };
    return { type: "array", title, ...about, items, minItems: 0, maxItems: values.length };
  }
  const chosen = preselected === undefined ? {} : { default: preselected };
  const offered = hasNotes ? { oneOf: titled } : { enum: values };
  return { type: "string", title, ...about, ...offered, ...chosen };
}

function wordsField({ header, multiSelect }: Question): FormField {
  const place = multiSelect ? "besides the options" : "in the place of the options";
  return {
    type: "string",
    title: header === null ? "Other" : `${header}: other`,
    description: `An answer in your own words, ${place}.`,
    maxLength: questionOtherCharsMax,
  };
}
