import { startTimer, type Timer } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import type { BrowserBounds } from "./browser-bounds.ts";
import type { RunningBrowser } from "./running-browser.ts";
import { type Tab, TabLost } from "./tab.ts";

/** A tab and the browser that it is in. */
export interface OpenTab {
  readonly tab: Tab;
  readonly browser: RunningBrowser;
}

/**
 * Keeps one browser for all calls: started when first needed, replaced when it is gone or worn, closed when
 * nobody needs it. Keeps a tab ready for the next call.
 */
export class BrowserHost {
  readonly #launch: () => Promise<RunningBrowser>;
  readonly #bounds: BrowserBounds;
  /** Everything that was started and has not ended. */
  readonly #alive = new Set<RunningBrowser>();
  #current: Promise<RunningBrowser> | undefined;
  #spare: Promise<OpenTab | undefined> | undefined;
  #open = 0;
  #idle: Timer | undefined;
  #isClosed = false;

  constructor(launch: () => Promise<RunningBrowser>, bounds: BrowserBounds) {
    this.#launch = launch;
    this.#bounds = bounds;
  }

  /**
   * A tab for one call, to be given back with `release`.
   * @throws AppError as the launch, {TabLost} when the browser ended in the meantime
   */
  async take(): Promise<OpenTab> {
    this.#open++;
    this.#idle?.stop();
    try {
      return (await this.#takeSpare()) ?? (await this.#openTab());
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /** Closes the tab, for which the next call need not wait, and has another one ready for it. */
  release({ tab, browser }: OpenTab): void {
    void browser.closeTab(tab);
    this.#leave();
    this.prepareSpare();
  }

  /** Has a tab ready for the next call, unless there is one or too many are open. */
  prepareSpare(): void {
    if (this.#spare !== undefined || this.#isClosed) return;
    if (this.#open >= this.#bounds.pagesOpenMax || this.#current === undefined) return;
    // A failure here occurs again, and is reported, when a tab is needed.
    this.#spare = this.#openWarmTab().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#idle?.stop();
    const starting = this.#current?.catch(() => undefined);
    this.#current = undefined;
    await Promise.all([...this.#alive].map((browser) => browser.close()));
    // One that was being started is closed as soon as it is there.
    await (await starting)?.close();
  }

  async #takeSpare(): Promise<OpenTab | undefined> {
    const spare = this.#spare;
    this.#spare = undefined;
    const open = await spare;
    if (open === undefined || (open.browser.isAlive && !open.tab.isOver)) return open;
    void open.browser.closeTab(open.tab);
    return undefined;
  }

  async #openTab(): Promise<OpenTab> {
    const browser = await this.#browser();
    // One that is stopped or stuck answers nothing: it is taken for gone, and ended.
    const limit = startTimer(this.#bounds.launchMsMax, () => void browser.close());
    try {
      return { browser, tab: await Promise.race([browser.openTab(), gone(browser)]) };
    } catch (error) {
      if (error instanceof AppError) throw error;
      void browser.close();
      throw new TabLost("browser-gone");
    } finally {
      limit.stop();
    }
  }

  async #openWarmTab(): Promise<OpenTab> {
    const open = await this.#openTab();
    await open.tab.warm();
    return open;
  }

  async #browser(): Promise<RunningBrowser> {
    if (this.#isClosed) throw new TabLost("browser-gone");
    const current = this.#current;
    const browser = await (current ?? this.#start());
    if (browser.isAlive && !browser.isWorn) return browser;
    // One that ends as soon as it is there is not started again and again.
    if (current === undefined) throw new TabLost("browser-gone");
    // Several may find out at the same time: one of them starts the next.
    if (this.#current === current) this.#replace(browser);
    return this.#browser();
  }

  #replace(browser: RunningBrowser): void {
    this.#current = undefined;
    this.#dropSpare();
    browser.retire();
  }

  #start(): Promise<RunningBrowser> {
    // Not immediately: other callers may run in the middle of a spawn (Bun 1.4.5), and must find this one.
    const starting = Promise.resolve().then(this.#launch);
    this.#current = starting;
    starting.then(
      (browser) => {
        this.#alive.add(browser);
        void browser.ended.then(() => this.#alive.delete(browser));
      },
      () => {
        if (this.#current === starting) this.#current = undefined;
      },
    );
    return starting;
  }

  #leave(): void {
    this.#open--;
    if (this.#open > 0 || this.#isClosed) return;
    this.#idle?.stop();
    this.#idle = startTimer(this.#bounds.idleMs, () => this.#closeIdle());
  }

  #closeIdle(): void {
    const current = this.#current;
    this.#current = undefined;
    this.#dropSpare();
    void current?.then(
      (browser) => browser.close(),
      () => undefined,
    );
  }

  #dropSpare(): void {
    const spare = this.#spare;
    this.#spare = undefined;
    void spare?.then((open) => open?.browser.closeTab(open.tab));
  }
}

/** @throws {TabLost} when the browser has ended */
async function gone(browser: RunningBrowser): Promise<never> {
  await browser.ended;
  throw new TabLost("browser-gone");
}
