import type { Cancellation } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { startTimer, type Timer } from "../../base/timer.ts";
import { encodeNotification, encodeRequest, type Params } from "../../protocol/json-rpc.ts";
import type { ResponseMessage } from "../../protocol/classify.ts";
import type { Outbox } from "./outbox.ts";

interface PendingRequest {
  readonly lane: Outbox;
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: AppError) => void;
  readonly timer: Timer;
}

/** Requests from us to a legacy client. Modern clients are never asked anything (docs/spec/modern.md#questions). */
export class ClientRequests {
  readonly #pending = new Map<string, PendingRequest>();
  #lastNumber = 0;

  /**
   * The client's result, unchecked. Goes out on `lane`: that of the request it belongs to (docs/spec/legacy.md#streams).
   * @throws AppError `cancelled` when no answer came within `timeoutMs` or the connection ended,
   *   `system` when the client answered with an error.
   */
  request(
    lane: Outbox,
    method: string,
    params: Params | undefined,
    timeoutMs: number,
    cancellation?: Cancellation,
  ): Promise<unknown> {
    this.#lastNumber += 1;
    const id = `server-${this.#lastNumber}`;
    return new Promise((resolve, reject) => {
      const late = `the client did not answer ${method} within ${timeoutMs} ms`;
      const timer = startTimer(timeoutMs, () => this.#giveUp(id, "timed out", late));
      this.#pending.set(id, { lane, method, resolve, reject, timer });
      lane.send(encodeRequest(id, method, params));
      cancellation?.onCancel(() => this.#giveUp(id, "no longer needed", "the call was cancelled"));
    });
  }

  /** Takes a response of the client; one that matches nothing is ignored (docs/spec/legacy.md#which-era). */
  settle(response: ResponseMessage): void {
    if (typeof response.id !== "string") return;
    const pending = this.#take(response.id);
    if (pending === undefined) return;
    if (response.error === undefined) return pending.resolve(response.result);
    const detail = JSON.stringify(response.error).slice(0, 200);
    pending.reject(new AppError("system", `the client refused ${pending.method}: ${detail}`));
  }

  /** Nobody will answer any more. */
  close(): void {
    for (const id of this.#pending.keys()) {
      this.#take(id)?.reject(new AppError("cancelled", "the connection has ended"));
    }
  }

  #giveUp(id: string, reason: string, message: string): void {
    const pending = this.#take(id);
    if (pending === undefined) return;
    const params = { requestId: id, reason };
    pending.lane.send(encodeNotification("notifications/cancelled", params));
    pending.reject(new AppError("cancelled", message));
  }

  #take(id: string): PendingRequest | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.timer.stop();
    return pending;
  }
}
