import { questionOtherCharsMax } from "../../base/limits.ts";
import type {
  Answer,
  QuestionsReply,
  QuestionsRequest,
  Rung as RungName,
} from "../../tools/state-services.ts";
import type { Rung, ShownEnd, ShownQuestions } from "./terminals.ts";

export interface OpenQuestionParts {
  readonly id: string;
  readonly clientId: string;
  /** Equal for equal questions of one client. */
  readonly key: string;
  readonly request: QuestionsRequest;
  /** In the order in which they are tried. */
  readonly rungs: readonly Rung[];
  /** The question as terminals and pages show it. */
  readonly describe: () => Promise<ShownQuestions>;
  /** Called with the error of a rung. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Questions from when they are first shown until they are answered, on one rung after the other. They outlive
 * the call that asked them.
 */
export class OpenQuestion {
  readonly id: string;
  readonly clientId: string;
  readonly key: string;
  /** How many calls wait for it just now. */
  waiting = 0;
  readonly #parts: OpenQuestionParts;
  readonly #taken = new AbortController();
  readonly #settled = Promise.withResolvers<QuestionsReply>();
  #rung: RungName = "elicitation";
  #isSettled = false;

  constructor(parts: OpenQuestionParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.clientId = parts.clientId;
    this.key = parts.key;
    void this.#climb();
  }

  /** Where it is shown, or was last. */
  get rung(): RungName {
    return this.#rung;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** How it ended, or will. Never rejects. */
  get settled(): Promise<QuestionsReply> {
    return this.#settled.promise;
  }

  /** Takes the questions back wherever they are shown. */
  close(outcome: "timed_out" | "cancelled"): void {
    this.#settle({ outcome, rung: this.#rung });
    this.#taken.abort();
  }

  async #climb(): Promise<void> {
    let tried = {};
    for (const rung of this.#parts.rungs) {
      if (this.#isSettled) return;
      if (!rung.isThere()) continue;
      tried = { isTried: true };
      this.#rung = rung.name;
      const reply = replyOf(await this.#askOn(rung), rung.name, this.#parts.request);
      if (reply !== undefined) return this.#settle(reply);
    }
    this.#settle({ outcome: "unavailable", ...tried });
  }

  async #askOn(rung: Rung): Promise<ShownEnd> {
    try {
      return await rung.ask(this.#parts.describe, this.#taken.signal);
    } catch (error) {
      this.#parts.onFailure(error);
      return { kind: "gone" };
    }
  }

  #settle(reply: QuestionsReply): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#settled.resolve(reply);
  }
}

/** Undefined when the next rung is to be tried: also for answers to something that was not asked. */
function replyOf(
  end: ShownEnd,
  rung: RungName,
  request: QuestionsRequest,
): QuestionsReply | undefined {
  switch (end.kind) {
    case "answered":
      if (problemsOfAnswers(request, end.answers).length > 0) return undefined;
      return { outcome: "answered", rung, answers: end.answers };
    case "declined":
    case "cancelled":
      return { outcome: end.kind, rung };
    case "gone":
      return undefined;
  }
}

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
