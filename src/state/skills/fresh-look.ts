/**
 * One look at a time: whoever asks while one is under way is given the next, since that one may have passed what has
 * just changed. All who wait share it.
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
