import { memoryRestMs } from "../base/limits.ts";

export interface MemoryRestParts {
  /** A call is under way, which must not wait for a collection. */
  readonly isBusy: () => boolean;
  /** There has been a call since: the collection is not wanted any more. */
  readonly isOver: () => boolean;
  /** Takes some 10 to 20 ms of the main thread. */
  readonly collect: () => void;
  readonly restMs?: number;
}

/**
 * Gives memory back, once, when the server has come to rest: the engine alone keeps code and pages for the next call. It drops the
 * compiled form of all code, which the next call makes again for what it needs.
 */
export class MemoryRest {
  readonly #parts: MemoryRestParts;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: MemoryRestParts) {
    this.#parts = parts;
  }

  /** There may be nothing to do from now on. */
  readonly begin = (): void => {
    const { isBusy, isOver, collect, restMs = memoryRestMs } = this.#parts;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (isOver()) return;
      if (isBusy()) this.begin();
      else collect();
    }, restMs).unref();
  };
}
