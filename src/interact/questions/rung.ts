import type { Rung as RungName } from "../../tools/question-service.ts";
import type { ShownEnd, ShownQuestions } from "./terminals.ts";

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
