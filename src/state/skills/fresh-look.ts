/**
 * One look at a time: a caller that asks during a look gets the next one, since the running one may have missed the
 * latest change. All waiting callers share it.
 */
export class FreshLook<T> {
  readonly #look: () => Promise<T>;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  /** @param look never rejects */
  constructor(look: () => Promise<T>) {
    this.#look = look;
  }

  take(): Promise<T> {
    if (this.#running === undefined) return this.#start();
    this.#next ??= this.#running.then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<T> {
    this.#next = undefined;
    const running = this.#look().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
