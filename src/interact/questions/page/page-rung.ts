import { questionVisitMsMax } from "../../../base/limits.ts";
import { startTimer } from "../../../base/timer.ts";
import type { Rung } from "../rung.ts";
import type { ShownEnd, ShownQuestions } from "../terminals.ts";
import type { PageBrowser } from "./page-browser.ts";
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
