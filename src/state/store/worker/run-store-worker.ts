import { AppError, messageOf } from "../../../base/errors.ts";
import { Lazy } from "../../../base/lazy.ts";
import { storeCallsTogetherMax } from "../../../base/limits.ts";
import {
  serveChannel,
  type WorkerHost,
  type WorkerWork,
} from "../../../base/worker-channel/worker-side.ts";
import type { StoreOutcome } from "../commit-together.ts";
import type { PostgresStore } from "../postgres/postgres-store.ts";
import type { PostgresPlace } from "../postgres/store-url.ts";
import { StoreFile } from "../store-file.ts";
import type { StoreCall } from "../store-methods.ts";
import type { Notices, Stored, StoreClientOptions } from "./store-client.ts";

/** The whole of the store Worker: requests that wait together are committed together. */
export function runStoreWorker(): void {
  serveChannel(
    ({ path, postgres, busyMsMax }: StoreClientOptions, host: WorkerHost<Notices>) =>
      postgres === undefined
        ? new StoreWork(new StoreFile(path, busyMsMax), host)
        : new PostgresWork(postgres),
    { survivesErrors: false },
  );
}

/** Loaded with the first request. */
class PostgresWork implements WorkerWork<StoreCall, never> {
  readonly #store: Lazy<PostgresStore>;

  constructor(place: PostgresPlace) {
    this.#store = new Lazy(async () => {
      const module = await import("../postgres/postgres-store.ts");
      return new module.PostgresStore(place);
    });
  }

  async call(call: StoreCall): Promise<Stored<unknown>> {
    const store = await this.#store.get();
    return { value: await store.call(call), notices: [] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const store = await this.#store.making;
    await store?.[Symbol.asyncDispose]();
  }
}

interface WaitingCall {
  readonly call: StoreCall;
  readonly resolve: (stored: Stored<unknown>) => void;
  readonly reject: (error: AppError) => void;
}

class StoreWork implements WorkerWork<StoreCall, never> {
  readonly #file: StoreFile;
  readonly #host: WorkerHost<Notices>;
  readonly #waiting: WaitingCall[] = [];
  #isTurnDue = false;

  constructor(file: StoreFile, host: WorkerHost<Notices>) {
    this.#file = file;
    this.#host = host;
  }

  /** Resolves when its changes are on the disk. */
  call(call: StoreCall): Promise<Stored<unknown>> {
    const { promise, resolve, reject } = Promise.withResolvers<Stored<unknown>>();
    this.#waiting.push({ call, resolve, reject });
    this.#turnLater();
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#waiting.length > 0) this.#turn();
    this.#file.close();
  }

  /** In the next round: by then all messages that came during the last fsync have been received. */
  #turnLater(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setImmediate(() => {
      this.#isTurnDue = false;
      this.#turn();
      if (this.#waiting.length > 0) this.#turnLater();
    });
  }

  #turn(): void {
    const together = this.#waiting.splice(0, storeCallsTogetherMax);
    if (together.length === 0) return;
    const outcomes = performAll(this.#file, together);
    const notices = this.#file.takeNotices();
    // Requests that were done together have the same notices: each of them tells its caller, and stderr has one.
    if (notices.length > 0) this.#host.post(notices);
    for (const [place, { resolve, reject }] of together.entries()) {
      const outcome = outcomes[place] ?? unanswered;
      if (outcome.kind === "done") resolve({ value: outcome.value, notices });
      else reject(withNotices(outcome.error, notices));
    }
  }
}

const unanswered: StoreOutcome = {
  kind: "refused",
  error: new AppError("system", "The store did not answer."),
};

function performAll(file: StoreFile, calls: readonly WaitingCall[]): StoreOutcome[] {
  try {
    return file.perform(calls.map(({ call }) => call));
  } catch (error) {
    const failure = error instanceof AppError ? error : new AppError("system", messageOf(error));
    return calls.map(() => ({ kind: "refused", error: failure }));
  }
}

function withNotices({ code, message }: AppError, notices: Notices): AppError {
  return new AppError(code, [message, ...notices].join(" "));
}
