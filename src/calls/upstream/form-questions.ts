import { type Choice, choicesOf, fieldKindOf } from "../../protocol/elicitation-field.ts";
import type { FormElicitation, FormField } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type {
  Answer,
  Question,
  QuestionsReply,
  QuestionsRequest,
} from "../../tools/question-service.ts";

/** A form as questions with options, for those who are no clients; and how answers become its content. */
export interface FormQuestions {
  readonly request: QuestionsRequest;
  /** The result of `elicitation/create`. */
  contentOf(reply: QuestionsReply): Params;
}

interface Asked {
  readonly name: string;
  readonly kind: "boolean" | "choice" | "choices";
  readonly choices: readonly Choice[];
}

const yesNo: readonly Choice[] = [
  { value: "true", title: "Yes" },
  { value: "false", title: "No" },
];

/** Undefined for a form that needs words or numbers: these questions have options only. */
export function formQuestions({ params }: FormElicitation): FormQuestions | undefined {
  const { message, requestedSchema } = params;
  const { properties, required = [] } = requestedSchema;
  const asked: Asked[] = [];
  for (const [name, field] of Object.entries(properties)) {
    const one = askedOf(name, field);
    if (one !== undefined) asked.push(one);
    else if (required.includes(name)) return undefined;
  }
  const questions =
    asked.length === 0
      ? [
          question(
            message,
            yesNo.map(({ title }) => title),
            false,
          ),
        ]
      : asked.map((one, index) =>
          fieldQuestion(one, properties[one.name], index === 0 ? message : ""),
        );
  return {
    request: { purpose: "question", questions },
    contentOf: (reply) => contentOf(asked, reply),
  };
}

function askedOf(name: string, field: FormField): Asked | undefined {
  const kind = fieldKindOf(field);
  if (kind === "boolean") return { name, kind, choices: yesNo };
  const choices = choicesOf(field) ?? [];
  if ((kind !== "choice" && kind !== "choices") || choices.length === 0) return undefined;
  return { name, kind, choices };
}

function fieldQuestion(
  { name, kind, choices }: Asked,
  field: FormField | undefined,
  message: string,
): Question {
  const title = typeof field?.["title"] === "string" ? field["title"] : name;
  const text = message === "" ? title : `${message}\n${title}`;
  return question(
    text,
    choices.map((choice) => choice.title),
    kind === "choices",
  );
}

function question(text: string, labels: readonly string[], multiSelect: boolean): Question {
  const options = labels.map((label) => ({ label, description: null }));
  return { question: text, header: null, options, multiSelect };
}

function contentOf(asked: readonly Asked[], reply: QuestionsReply): Params {
  switch (reply.outcome) {
    case "answered":
      return answered(asked, reply.answers);
    case "declined":
      return { action: "decline" };
    case "cancelled":
    case "timed_out":
    case "pending":
    case "unavailable":
      return { action: "cancel" };
  }
}

/** Words of one's own are no option of the form: nothing is made of them. */
function answered(asked: readonly Asked[], answers: readonly Answer[]): Params {
  if (answers.some(({ other }) => other !== null)) return { action: "decline" };
  if (asked.length === 0) {
    const isYes = answers[0]?.labels[0] === yesNo[0]?.title;
    return isYes ? { action: "accept", content: {} } : { action: "decline" };
  }
  const entries = asked.map(({ name, kind, choices }, index): [string, unknown] => {
    const labels = answers[index]?.labels ?? [];
    const values = labels.flatMap(
      (label) => choices.find(({ title }) => title === label)?.value ?? [],
    );
    if (kind === "choices") return [name, values];
    return [name, kind === "boolean" ? values[0] === "true" : values[0]];
  });
  return { action: "accept", content: Object.fromEntries(entries) };
}
