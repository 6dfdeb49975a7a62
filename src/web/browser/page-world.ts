import { AppError } from "../../base/errors.ts";
import type { Tab } from "./tab.ts";

/** Where our scripts run: the page shares the tree with them and nothing else. */
const worldName = "reader";

/** Asks questions of the document that a tab shows, in a world of our own. */
export class PageWorld {
  readonly #tab: Tab;
  #contextId: Promise<number> | undefined;
  /** The number of the document that the context belongs to. */
  #documents = -1;

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  /**
   * The value of an expression; undefined when the document was replaced meanwhile or the page did not answer
   * in `msMax`.
   * @throws AppError `system` when the expression itself fails
   */
  async ask<T>(expression: string, msMax: number): Promise<T | undefined> {
    const late = Symbol("late");
    const timer = Promise.withResolvers<typeof late>();
    const handle = setTimeout(() => timer.resolve(late), msMax);
    const answer = this.#evaluate(expression);
    // When it comes too late, nobody wants to hear what became of it.
    answer.catch(() => undefined);
    try {
      const value = await Promise.race([answer, timer.promise]);
      return value === late ? undefined : (value as T | undefined);
    } finally {
      clearTimeout(handle);
    }
  }

  /** Makes the world of a document that is still on its way, so that the first question finds it. */
  prepare(): void {
    this.#context().catch(() => undefined);
  }

  /** Stops the script that runs this moment, so that a page which computes for ever can be read. */
  async stopScripts(): Promise<void> {
    await this.#tab.session.send("Runtime.terminateExecution").catch(() => undefined);
  }

  async #evaluate(expression: string): Promise<unknown> {
    const { session } = this.#tab;
    try {
      const contextId = await this.#context();
      const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
        expression,
        contextId,
        returnByValue: true,
      });
      if (exceptionDetails === undefined) return result.value;
      const reason = exceptionDetails.exception?.description ?? exceptionDetails.text;
      throw new AppError("system", `The page could not be read: ${reason}.`);
    } catch (error) {
      if (error instanceof AppError) throw error;
      // The document is another one by now, or the tab is closing.
      this.#contextId = undefined;
      return undefined;
    }
  }

  #context(): Promise<number> {
    const { session, frameId, traffic } = this.#tab;
    if (this.#contextId === undefined || this.#documents !== traffic.documents) {
      this.#documents = traffic.documents;
      this.#contextId = session
        .send("Page.createIsolatedWorld", { frameId, worldName })
        .then(({ executionContextId }) => executionContextId);
    }
    return this.#contextId;
  }
}
