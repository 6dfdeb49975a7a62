import { agentIdleMs } from "../../../base/limits.ts";
import { startTimer, type Timer } from "../../../base/timer.ts";

/** Tells of each client that has had no call running for a while after one ended: once for each such time. */
export class IdleWatch implements Disposable {
  readonly #onIdle: (clientId: string, idleMs: number) => void;
  readonly #idleMs: number;
  /** Since when each client has been idle that was not told of yet; oldest first. */
  readonly #since = new Map<string, number>();
  readonly #busy = new Set<string>();
  #timer: Timer | undefined;

  constructor(onIdle: (clientId: string, idleMs: number) => void, idleMs: number = agentIdleMs) {
    this.#onIdle = onIdle;
    this.#idleMs = idleMs;
  }

  /** The number of a client's running calls became 0, or is not 0 any more. Costs no timer of its own. */
  readonly onRunning = (clientId: string, running: number): void => {
    this.#since.delete(clientId);
    if (running > 0) return void this.#busy.add(clientId);
    // The calls of a client that is gone end after it.
    if (!this.#busy.delete(clientId)) return;
    this.#since.set(clientId, performance.now());
    this.#timer ??= startTimer(this.#idleMs, this.#look);
  };

  /** The client is gone. */
  forget(clientId: string): void {
    this.#since.delete(clientId);
    this.#busy.delete(clientId);
  }

  [Symbol.dispose](): void {
    this.#timer?.stop();
    this.#since.clear();
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    for (const [clientId, since] of this.#since) {
      const idleMs = now - since;
      if (idleMs < this.#idleMs) {
        this.#timer = startTimer(this.#idleMs - idleMs, this.#look);
        return;
      }
      this.#since.delete(clientId);
      this.#onIdle(clientId, Math.round(idleMs));
    }
  };
}
