import { cancelledError } from "./errors.ts";
import { rememberedTextCharsMax, rememberedTextsMax } from "./limits.ts";

interface Share<T> {
  readonly outcome: Promise<T>;
  readonly controller: AbortController;
  users: number;
}

/** Work that several callers want at the same time is done once; it is given up when the last of them has gone. */
export class SharedWork<T> {
  readonly #shares = new Map<string, Share<T>>();

  /**
   * The result of `work` for `key`. @throws AppError `cancelled` as soon as `signal` aborts; errors of `work`
   */
  async run(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (signal.aborted) throw cancelledError();
    const share = this.#shares.get(key) ?? this.#begin(key, work);
    share.users += 1;
    const left = Promise.withResolvers<never>();
    const onAbort = (): void => left.reject(cancelledError());
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([share.outcome, left.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
      share.users -= 1;
      if (share.users === 0) this.#end(key, share);
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Share<T> {
    const controller = new AbortController();
    const share: Share<T> = { outcome: work(controller.signal), controller, users: 0 };
    // Nobody may be left to hear of a failure.
    share.outcome.catch(() => {});
    this.#shares.set(key, share);
    return share;
  }

  #end(key: string, share: Share<T>): void {
    if (this.#shares.get(key) === share) this.#shares.delete(key);
    share.controller.abort();
  }
}

/**
 * `compute` with a cache, for few texts that recur. Bounded: when many texts
 * have been seen all are forgotten, and long ones are never kept, since they come from outside.
 * @param compute its answer depends on the text alone
 */
export function remembered<Answer>(compute: (text: string) => Answer): (text: string) => Answer {
  const known = new Map<string, { readonly answer: Answer }>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found.answer;
    const answer = compute(text);
    if (text.length > rememberedTextCharsMax) return answer;
    if (known.size >= rememberedTextsMax) known.clear();
    known.set(text, { answer });
    return answer;
  };
}
