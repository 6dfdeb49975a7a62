import { randomBytes } from "node:crypto";

import { startTimer, type Timer } from "../../base/cancellation.ts";
import { requestStateMsMax } from "../../base/limits.ts";
import { upstreamSuspendedMax } from "../../base/upstream-limits.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import { FaultError } from "../ask-client.ts";
import type { CallRequest } from "../call.ts";

/** Work that goes on while a client is away to answer. */
export interface Suspendable {
  /** Nobody comes back for it. */
  abandon(): void;
}

interface Entry<Work> {
  readonly work: Work;
  readonly clientId: string;
  readonly timer: Timer;
}

const anyMark = "upstream-call";

/**
 * Calls to servers of the legacy era that wait for a client of the stateless one: the server asked in the middle of its
 * work, our call has ended with the question, and the client comes back. Its state names the call; being sealed, it
 * opens for the same client and the same parameters only.
 */
export class SuspendedCalls<Work extends Suspendable> implements Disposable {
  /** Oldest first. */
  readonly #entries = new Map<string, Entry<Work>>();
  readonly #msMax: number;

  /** @param msMax how long a client may be away */
  constructor(msMax: number = requestStateMsMax) {
    this.#msMax = msMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** A new name for a call, told to its client with the next question. */
  name({ ask }: CallRequest): string {
    const id = randomBytes(16).toString("hex");
    if (ask?.isMarked?.(anyMark) !== true) ask?.mark?.(anyMark);
    ask?.mark?.(markOf(id));
    return id;
  }

  /** The client has been asked: its call waits under the name that it was given. */
  suspend(id: string, clientId: string, work: Work): void {
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= upstreamSuspendedMax && oldest !== undefined) this.#abandon(oldest);
    const timer = startTimer(this.#msMax, () => this.#abandon(id));
    this.#entries.set(id, { work, clientId, timer });
  }

  /**
   * The work of a call that is made again, which is this call's from now on; undefined for a call that is new.
   * @throws FaultError -32602 when it is gone: the work done so far must not be repeated unasked
   */
  take({ ask, client }: CallRequest): Work | undefined {
    if (ask?.isMarked?.(anyMark) !== true) return undefined;
    for (const [id, { work, clientId, timer }] of this.#entries) {
      if (clientId !== client.id || !ask.isMarked(markOf(id))) continue;
      timer.stop();
      this.#entries.delete(id);
      return work;
    }
    throw goneFault();
  }

  endClient(clientId: string): void {
    for (const [id, entry] of this.#entries) if (entry.clientId === clientId) this.#abandon(id);
  }

  [Symbol.dispose](): void {
    for (const id of this.#entries.keys()) this.#abandon(id);
  }

  #abandon(id: string): void {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    entry?.timer.stop();
    entry?.work.abandon();
  }
}

/** The work done so far cannot be continued, and is not repeated unasked. */
export function goneFault(): FaultError {
  const message =
    "Invalid params: requestState is of a call that does not wait any more; make the call again without it";
  return new FaultError(createFault(errorCodes.invalidParams, message));
}

function markOf(id: string): string {
  return `${anyMark}:${id}`;
}
