import { AppError } from "../../../base/errors.ts";
import { storeBusyMsMax, storeCallMsMax, storeCloseMsMax } from "../../../base/limits.ts";
import { ownValue } from "../../../base/values.ts";
import { workerPort } from "../../../base/worker-channel/channel-port.ts";
import { WorkerChannel } from "../../../base/worker-channel/worker-channel.ts";
import type { PostgresPlace } from "../postgres/store-url.ts";
import { isWrite, type StoreCall, type StoreReply } from "../store-methods.ts";

/** With a call is kept whether it changes something. */
type StoreChannel = WorkerChannel<StoreClientOptions, StoreCall, boolean, never, Notices>;

export interface StoreClientParts {
  readonly createWorker: () => Worker;
  readonly path: string;
  /** Where the store is instead, when it is not in the file. */
  readonly postgres?: PostgresPlace | undefined;
  /** Receives events of the file, and the loss of a Worker. */
  readonly warn: (message: string) => void;
  /** Called at each loss of the Worker. */
  readonly onLost?: () => void;
  readonly busyMsMax?: number;
  readonly callMsMax?: number;
}

/**
 * The store from the main thread: one Worker with the connections to it, started with the first request, replaced when it
 * is lost. fsync takes milliseconds, which neither the main thread nor a Worker of tools has: a Worker of tools may
 * be ended at any time, in the middle of a transaction too.
 */
export class StoreClient {
  readonly #parts: StoreClientParts;
  #channel: StoreChannel | undefined;
  /** Notices for the next reply. */
  readonly #notices: string[] = [];
  #isClosed = false;

  constructor(parts: StoreClientParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when its changes are on the disk.
   * @throws AppError as the method does, `system` when the file or the engine cannot be used, `worker` when the Worker is lost:
   * then a change may or may not have been kept, which the message says
   */
  async call<Call extends StoreCall>(call: Call): Promise<Stored<StoreReply<Call["method"]>>> {
    if (this.#isClosed) throw new AppError("cancelled", "The server is shutting down.");
    this.#channel ??= this.#open();
    const reply = await this.#channel.call(call, isWrite(call));
    const stored = ownValue<Stored<StoreReply<Call["method"]>>>(reply);
    const notices = [...this.#notices.splice(0), ...stored.notices];
    return { value: stored.value, notices };
  }

  /** Has the next reply say what another user of the same file, in this process, has found and told on stderr. */
  note(notice: string): void {
    this.#notices.push(notice);
  }

  /** Ends the Worker after its pending requests. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#channel?.close(storeCloseMsMax);
  }

  #open(): StoreChannel {
    const { createWorker, path, postgres, warn, busyMsMax = storeBusyMsMax } = this.#parts;
    const channel: StoreChannel = new WorkerChannel({
      port: workerPort(createWorker()),
      options: { path, postgres, busyMsMax },
      deadline: { msMax: this.#parts.callMsMax ?? storeCallMsMax },
      lostText,
      events: {
        onGone: (reason) => {
          if (this.#channel === channel) this.#channel = undefined;
          warn(`The store Worker was lost and is replaced: ${reason}.`);
          this.#parts.onLost?.();
        },
        onPost: (notices) => {
          for (const notice of notices) warn(notice);
        },
      },
    });
    return channel;
  }
}

function lostText(reason: string, isChange: boolean): string {
  const outcome = isChange
    ? "The change may or may not have been saved: check before you repeat it."
    : "Try again.";
  return `The store was lost: ${reason}. ${outcome}`;
}

/** Sentences for people: a damaged file was set aside, the file was replaced. Almost always empty. */
export type Notices = readonly string[];

/** A value of the store, with notices about the file for the user. */
export interface Stored<Value> {
  readonly value: Value;
  readonly notices: Notices;
}

export interface StoreClientOptions {
  readonly path: string;
  /** Where the store is instead, when it is not in the file. */
  readonly postgres?: PostgresPlace | undefined;
  readonly busyMsMax: number;
}
