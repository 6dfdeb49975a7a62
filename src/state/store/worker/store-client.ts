import { AppError } from "../../../base/errors.ts";
import { storeBusyMsMax, storeCloseMsMax } from "../../../base/limits.ts";
import type { StoreCall, StoreMethod, StoreReply, StoreRequest } from "../store-methods.ts";
import { type Stored, StoreLink } from "./store-link.ts";

export interface StoreClientParts {
  readonly createWorker: () => Worker;
  readonly path: string;
  /** Told what happened to the file, and to a Worker that was lost. */
  readonly warn: (message: string) => void;
  readonly busyMsMax?: number;
  readonly callMsMax?: number;
}

/**
 * The store from the main thread: one Worker with one connection, started with the first request, replaced when it
 * is lost. fsync takes milliseconds, which neither the main thread nor a Worker of tools has: a Worker of tools may
 * be ended at any time, in the middle of a transaction too.
 */
export class StoreClient {
  readonly #parts: StoreClientParts;
  #link: StoreLink | undefined;
  /** Told with the next reply. */
  readonly #notices: string[] = [];
  #isClosed = false;

  constructor(parts: StoreClientParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when what it changed is on the disk.
   * @throws AppError as the method does, `system` when the file cannot be used, `worker` when the Worker is lost:
   * then a change may or may not have been kept, which the message says
   */
  async call<Method extends StoreMethod>(
    method: Method,
    request: StoreRequest<Method>,
  ): Promise<Stored<StoreReply<Method>>> {
    if (this.#isClosed) throw new AppError("cancelled", "The server is shutting down.");
    this.#link ??= this.#open();
    const stored = await this.#link.call({ method, request } as StoreCall);
    const notices = [...this.#notices.splice(0), ...stored.notices];
    return { value: stored.value as StoreReply<Method>, notices };
  }

  /** Has the next reply say what another user of the same file, in this process, has found and told on stderr. */
  note(notice: string): void {
    this.#notices.push(notice);
  }

  /** Ends the Worker after what it was asked for. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#link?.close(storeCloseMsMax);
  }

  #open(): StoreLink {
    const { createWorker, path, warn, busyMsMax = storeBusyMsMax, callMsMax } = this.#parts;
    const options = { path, busyMsMax, ...(callMsMax === undefined ? {} : { callMsMax }) };
    return new StoreLink(createWorker(), options, {
      onGone: (gone, reason) => {
        if (this.#link === gone) this.#link = undefined;
        warn(`The store Worker was lost and is replaced: ${reason}.`);
      },
      onNotice: warn,
    });
  }
}
