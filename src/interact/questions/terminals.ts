import type {
  Answer,
  Question,
  QuestionsRequest,
  Rung as RungName,
} from "../../tools/state-services.ts";

/** Questions as they are shown to somebody who is not the client. */
export interface ShownQuestions {
  readonly id: string;
  readonly questions: readonly Question[];
  readonly purpose: QuestionsRequest["purpose"];
  /** The asking client's own name. Outside text. */
  readonly asker: string;
  /** The folder that the client works in. Outside text. */
  readonly workspace: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
}

/** How a person dealt with questions that were shown to them. */
export type ShownEnd =
  /** One answer for each question, in their order; the asker checks them. */
  | { readonly kind: "answered"; readonly answers: readonly Answer[] }
  | { readonly kind: "declined" }
  | { readonly kind: "cancelled" }
  /** There is nobody left who could see them: the last terminal was detached. */
  | { readonly kind: "gone" };

/** A person's reply to questions. */
export type TerminalReply = Exclude<ShownEnd, { kind: "gone" }>;

/** Why a question is gone from a terminal. */
export type GoneReason = "answered" | "withdrawn";

/** The attached terminals of this process: a question is shown on all of them, and the first answer is used. */
export interface Terminals {
  /** How many are attached just now. */
  readonly count: number;
  /** Shows the questions until somebody answers. When `signal` aborts, they are taken back and the end is `gone`. */
  ask(shown: ShownQuestions, signal: AbortSignal): Promise<ShownEnd>;
}

/** One way to show questions to a person. */
export interface Rung {
  readonly name: RungName;
  /** False: there is nobody there just now. Asked when it is this rung's turn. */
  isThere(): boolean;
  /**
   * `gone`: nobody saw the questions, or will; the next rung is tried. An error means the same.
   * @param signal takes the questions back
   */
  ask(shown: () => Promise<ShownQuestions>, signal: AbortSignal): Promise<ShownEnd>;
}

/** Attached terminals as a rung. */
export function terminalRung(terminals: Terminals): Rung {
  return {
    name: "terminal",
    isThere: () => terminals.count > 0,
    ask: async (describe, signal) => terminals.ask(await describe(), signal),
  };
}

/** A terminal as questions see it. */
export interface QuestionViewer {
  showQuestion(number: number, question: ShownQuestions): void;
  takeBackQuestion(number: number, reason: GoneReason): void;
}

interface OpenQuestion {
  readonly question: ShownQuestions;
  readonly end: (end: ShownEnd, reason: GoneReason) => void;
}

/** Shows questions on all attached terminals; the first answer wins, and the others see the question go. */
export class TerminalQuestions implements Terminals {
  readonly #viewers = new Set<QuestionViewer>();
  readonly #open = new Map<number, OpenQuestion>();
  #lastNumber = 0;

  get count(): number {
    return this.#viewers.size;
  }

  ask(question: ShownQuestions, signal: AbortSignal): Promise<ShownEnd> {
    if (signal.aborted || this.count === 0) return Promise.resolve({ kind: "gone" });
    const { promise, resolve } = Promise.withResolvers<ShownEnd>();
    const number = ++this.#lastNumber;
    const withdraw = (): void => end({ kind: "gone" }, "withdrawn");
    const end = (result: ShownEnd, reason: GoneReason): void => {
      if (!this.#open.delete(number)) return;
      signal.removeEventListener("abort", withdraw);
      for (const viewer of this.#viewers) viewer.takeBackQuestion(number, reason);
      resolve(result);
    };
    this.#open.set(number, { question, end });
    signal.addEventListener("abort", withdraw, { once: true });
    for (const viewer of this.#viewers) viewer.showQuestion(number, question);
    return promise;
  }

  /** A terminal is there: it sees what is open. */
  add(viewer: QuestionViewer): void {
    this.#viewers.add(viewer);
    for (const [number, { question }] of this.#open) viewer.showQuestion(number, question);
  }

  /** A terminal has gone. With the last one nobody is left who could answer. */
  remove(viewer: QuestionViewer): void {
    if (!this.#viewers.delete(viewer) || this.count > 0) return;
    this.withdrawAll();
  }

  /** A late reply changes nothing: its terminal has been notified that the question is gone. */
  reply(number: number, reply: TerminalReply): void {
    this.#open.get(number)?.end(reply, "answered");
  }

  withdrawAll(): void {
    for (const { end } of this.#open.values()) end({ kind: "gone" }, "withdrawn");
  }
}
