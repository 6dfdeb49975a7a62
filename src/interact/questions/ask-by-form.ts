import type { Cancellation } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { questionFormsMax, questionOtherCharsMax, questionUnseenMs } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import type {
  FormElicitation,
  FormField,
  InputRequests,
  InputResponses,
} from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { Answer, Question, QuestionsRequest } from "../../tools/state-services.ts";
import { problemsOfAnswers, problemText } from "./open-question.ts";
import type { ShownEnd } from "./terminals.ts";

/**
 * Asks the person by a form of the client; again when an answer is missing or malformed. `gone` when the client showed nothing:
 * it declined faster than anybody can, it failed, or it went.
 * @throws errors of `client.ask` other than AppError, such as the one that ends a call to ask in a round
 */
export async function askByForm(
  client: FormClient,
  request: QuestionsRequest,
  until?: Cancellation,
): Promise<ShownEnd> {
  let problem: string | undefined;
  for (let count = 0; count < questionFormsMax; count += 1) {
    const reading = await askOnce(client, request, problem, until);
    if (reading.kind !== "incomplete") return reading;
    problem = reading.problem;
  }
  return { kind: "gone" };
}

type Reading = ShownEnd | { readonly kind: "incomplete"; readonly problem: string };

async function askOnce(
  client: FormClient,
  request: QuestionsRequest,
  problem: string | undefined,
  until: Cancellation | undefined,
): Promise<Reading> {
  const form = questionForm(request, problem);
  let tookMs = Number.POSITIVE_INFINITY;
  const onTook = (ms: number): void => void (tookMs = ms);
  try {
    const options = until === undefined ? { onTook } : { onTook, until };
    const { question } = await client.ask({ question: form }, options);
    if (question?.["action"] !== "accept") {
      if (tookMs < questionUnseenMs) return { kind: "gone" };
      return { kind: question?.["action"] === "decline" ? "declined" : "cancelled" };
    }
    const answers = readForm(request.questions, question);
    const problems = problemsOfAnswers(request, answers);
    if (problems.length === 0) return { kind: "answered", answers };
    return { kind: "incomplete", problem: problemText(problems, request.questions.length) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The client let something through that the form does not take: the user reads why.
    if (error.code === "usage") return { kind: "incomplete", problem: error.message };
    return { kind: "gone" };
  }
}

/** The answers in the content of a form, one for each question; empty ones are missing. */
function readForm(questions: readonly Question[], { content }: Params): readonly Answer[] {
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
    labels: list.filter((each) => typeof each === "string").filter((each) => each !== ""),
    other,
  };
}

/** The name of the field with the options of the question at `index`. */
function choiceField(index: number): string {
  return `answer${index + 1}`;
}

/** The name of the field for words of one's own. */
function otherField(index: number): string {
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

/** The part of the gateway's `AskClient` that questions need. */
export interface FormClient {
  can(kind: "form"): boolean;
  /** True where the call ends with the question, and its handler runs again with the answer. */
  readonly endsCall?: boolean;
  /** True when the call has come further than this in an earlier round. */
  readonly isReplaying?: boolean;
  ask(
    requests: InputRequests,
    options?: { readonly until?: Cancellation; readonly onTook?: (tookMs: number) => void },
  ): Promise<InputResponses>;
}

/** The data of a call that questions need. */
export interface QuestionCall {
  readonly client: {
    readonly id: string;
    /** The client's own name. */
    readonly name?: string | undefined;
    /** True when no terminal and no page of this machine is for it. */
    readonly isRemote?: boolean;
    workspaceDir(): Promise<string>;
  };
  readonly cancellation: Cancellation;
  readonly ask?: FormClient;
  /** Lets the call go on as an MCP task; throws when there are too many. */
  readonly becomeTask?: (options?: {
    readonly statusMessage?: string;
    readonly ttlMs?: number;
  }) => void;
}

/** A call that asks, and how long its client waits for it. */
export interface Asking {
  readonly call: QuestionCall;
  /** On the clock of `performance.now()`; undefined = no limit. */
  readonly answerAt: number | undefined;
  /** True when the handler cannot run again from its start. */
  readonly hasActed: boolean;
}
