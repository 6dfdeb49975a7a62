import { startTimer } from "../../../base/cancellation.ts";
import { questionVisitMsMax } from "../../../base/limits.ts";
import type { Rung, ShownEnd, ShownQuestions } from "../terminals.ts";
import { PageServer } from "./page-server.ts";
import { QuestionPage } from "./question-page.ts";

/** A page in the user's browser as a rung: `gone` when no browser has come to see it in time. */
export class PageRung implements Rung {
  readonly name = "page";
  readonly #browser: PageBrowser;
  readonly #visitMsMax: number;
  readonly #server = new PageServer();

  /** @param visitMsMax how long a browser may take to come */
  constructor(browser: PageBrowser, visitMsMax: number = questionVisitMsMax) {
    this.#browser = browser;
    this.#visitMsMax = visitMsMax;
  }

  isThere(): boolean {
    return this.#browser.canOpen;
  }

  async ask(describe: () => Promise<ShownQuestions>, signal: AbortSignal): Promise<ShownEnd> {
    const page = new QuestionPage(await describe());
    if (signal.aborted) return { kind: "gone" };
    const url = this.#server.add(page);
    const close = (): void => page.close();
    signal.addEventListener("abort", close, { once: true });
    const timer = startTimer(this.#visitMsMax, close);
    void page.visited.then(() => timer.stop());
    void this.#open(url, page);
    try {
      return await page.ended;
    } finally {
      timer.stop();
      signal.removeEventListener("abort", close);
      this.#server.delete(page);
    }
  }

  /** The opener may fail after the user has opened this page by hand. */
  async #open(url: string, page: QuestionPage): Promise<void> {
    let isVisited = false;
    void page.visited.then(() => (isVisited = true));
    const isOpened = await this.#browser.open(url);
    if (!isOpened && !isVisited) page.close();
  }
}

/** Opens pages in front of the user. */
export interface PageBrowser {
  /** False: there is no screen, no browser, or it was switched off. */
  readonly canOpen: boolean;
  /** Resolves with false when it could not be opened, which may be known at once, late or never. */
  open(url: string): Promise<boolean>;
}
