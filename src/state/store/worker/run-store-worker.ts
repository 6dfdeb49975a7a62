import { routeConsoleToStderr } from "../../../base/console.ts";
import { AppError, messageOf } from "../../../base/errors.ts";
import { storeCallsTogetherMax } from "../../../base/limits.ts";
import type { StoreOutcome } from "../commit-together.ts";
import { StoreFile } from "../store-file.ts";
import type { StoreCall } from "../store-methods.ts";
import {
  decodeToStoreWorker,
  encodeFromStoreWorker,
  type FromStoreWorker,
  type ToStoreWorker,
} from "./messages.ts";

declare const self: Worker;

/** The whole of the store Worker: requests that wait together are committed together. */
export function runStoreWorker(): void {
  routeConsoleToStderr();
  const side = new StoreWorkerSide((messages) => self.postMessage(encodeFromStoreWorker(messages)));
  self.onmessage = ({ data }: MessageEvent<string>): void =>
    side.receive(decodeToStoreWorker(data));
}

interface WaitingCall {
  readonly id: number;
  readonly call: StoreCall;
}

class StoreWorkerSide {
  readonly #send: (messages: readonly FromStoreWorker[]) => void;
  readonly #waiting: WaitingCall[] = [];
  #file: StoreFile | undefined;
  #isTurnDue = false;

  constructor(send: (messages: readonly FromStoreWorker[]) => void) {
    this.#send = send;
  }

  receive(message: ToStoreWorker): void {
    switch (message.kind) {
      case "open":
        this.#file = new StoreFile(message.path, message.busyMsMax);
        return;
      case "call":
        this.#waiting.push(message);
        return this.#turnLater();
      case "close":
        return this.#close();
    }
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
    if (together.length === 0 || this.#file === undefined) return;
    const outcomes = performAll(this.#file, together);
    const notices = this.#file.takeNotices();
    this.#send(
      together.map(({ id }, place) => replyOf(id, outcomes[place] ?? unanswered, notices)),
    );
  }

  #close(): void {
    while (this.#waiting.length > 0) this.#turn();
    this.#file?.close();
    this.#send([{ kind: "closed" }]);
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

function replyOf(id: number, outcome: StoreOutcome, notices: readonly string[]): FromStoreWorker {
  if (outcome.kind === "done") return { kind: "done", id, value: outcome.value, notices };
  const { code, message } = outcome.error;
  return { kind: "failed", id, code, message, notices };
}
