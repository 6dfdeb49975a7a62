import type { Cancellation } from "../../base/cancellation.ts";
import { JsonText } from "../../base/json-text.ts";
import { heavyPagesMax } from "../../base/limits.ts";
import { isHeavyPage } from "../../base/page-weight.ts";
import { type Turn, Turns } from "../../base/turns.ts";
import { withSignal } from "../with-signal.ts";

/** Of all clients together: what is made of pages is in the memory of one process. */
const turns = new Turns(heavyPagesMax);

/** One call's leave to read pages that take much memory: it waits for it, and has it until it is over. */
export class PageTurn {
  #turn: Turn | undefined;
  #isOver = false;

  /**
   * Passes a page on when it may be read.
   * @throws AppError `cancelled`
   */
  async await(page: unknown, cancellation: Cancellation): Promise<unknown> {
    const isHeavy = page instanceof JsonText && isHeavyPage(page.json);
    if (!isHeavy || this.#turn !== undefined || this.#isOver) return page;
    const turn = await withSignal(cancellation, (signal) => turns.take(signal));
    if (this.#isOver || this.#turn !== undefined) turn[Symbol.dispose]();
    else this.#turn = turn;
    return page;
  }

  /** The call is over. */
  end(): void {
    this.#isOver = true;
    this.#turn?.[Symbol.dispose]();
    this.#turn = undefined;
  }
}
