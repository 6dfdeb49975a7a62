const endSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** The signals that end the server: the first one has it finish what is under way, the second one does not wait. */
export class EndSignals {
  readonly first: Promise<void>;
  readonly second: Promise<void>;

  constructor() {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.first = first.promise;
    this.second = second.promise;
    let count = 0;
    const onSignal = (): void => {
      count += 1;
      if (count === 1) first.resolve();
      else second.resolve();
    };
    for (const signal of endSignals) process.on(signal, onSignal);
  }

  /** Waits for `work`, but not longer than `limitMs`, nor after the second signal. */
  async within(limitMs: number, work: Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handle = setTimeout(resolve, limitMs);
    await Promise.race([work, promise, this.second]);
    clearTimeout(handle);
  }
}
