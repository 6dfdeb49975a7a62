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
   * `gone`: nobody saw the questions, or will; the next rung is tried. What it throws means the same.
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
