import { AppError } from "../../base/errors.ts";
import { ownValue } from "../../base/values.ts";
import type { Tab } from "./tab.ts";

/** Where our scripts run: the page shares the tree with them and nothing else. */
const worldName = "reader";

/** A page that is busy with something other than a script, such as its layout, is not stopped by that. */
const stopMsMax = 1_000;

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
   * The value of an expression; undefined when the document was replaced in the meantime or the page did not answer in
   * `msMax`.
   * @throws AppError `system` when the expression itself fails
   */
  async ask<T>(expression: string, msMax: number): Promise<T | undefined> {
    return ownValue<T | undefined>(await inTime(this.#evaluate(expression), msMax));
  }

  /** Makes the world of a document that is still on its way, so that the first question finds it. */
  prepare(): void {
    this.#context().catch(() => undefined);
  }

  /** Stops the script that is running, so that a page that computes forever can be read. */
  async stopScripts(): Promise<void> {
    const stopped = this.#tab.session.send("Runtime.terminateExecution");
    await inTime(
      stopped.catch(() => undefined),
      stopMsMax,
    );
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
      // The document has been replaced, or the tab is closing.
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

/** The result of `work`, or undefined when it takes longer. */
async function inTime(work: Promise<unknown>, msMax: number): Promise<unknown> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), msMax);
  // If it comes too late, nothing uses its outcome.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
