import { memoryRestMs, startRestMs } from "../base/limits.ts";
import type { CallingClients } from "../calls/gate/calling-clients.ts";

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
 * compiled form of all code; the next call compiles the code that it needs.
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

interface StartRestParts {
  readonly running: Pick<CallingClients, "isQuiet" | "begun">;
  /** There are MCP servers; asked without a look at a file. */
  readonly hasServers: () => boolean;
  readonly collect: () => void;
  readonly restMs?: number;
}

/**
 * The rest after a start. Not wanted after a first call, except where there are MCP servers: reaching them leaves more behind than
 * calls need again. There it comes when calls leave it a moment.
 */
export function restAfterStart({
  running,
  hasServers,
  collect,
  restMs = startRestMs,
}: StartRestParts): MemoryRest {
  let seen = 0;
  return new MemoryRest({
    isBusy: () => {
      const hasCalled = running.begun > seen;
      seen = running.begun;
      return hasCalled || !running.isQuiet;
    },
    isOver: () => running.begun > 0 && !hasServers(),
    collect,
    restMs,
  });
}
