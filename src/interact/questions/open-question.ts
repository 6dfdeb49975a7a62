import type {
  QuestionsReply,
  QuestionsRequest,
  Rung as RungName,
} from "../../tools/question-service.ts";
import { problemsOfAnswers } from "./check-answers.ts";
import type { Rung } from "./rung.ts";
import type { ShownEnd, ShownQuestions } from "./terminals.ts";

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
  /** Told what a rung threw. */
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
