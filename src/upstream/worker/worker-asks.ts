import { startTimer } from "../../base/cancellation.ts";
import { AppError, type AppErrorCode } from "../../base/errors.ts";
import {
  upstreamAsksMax,
  upstreamKeepBytesMax,
  upstreamKeepMsMax,
} from "../../base/upstream-limits.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { SavedResultRecord } from "../upstreams.ts";
import type { FromUpstreamPost } from "./messages.ts";

interface WaitingAsk {
  readonly callId: number;
  readonly resolve: (answer: Params) => void;
  readonly reject: (error: AppError) => void;
}

/**
 * Requests of calls to the main thread: questions of servers for the client, and background tasks for results that were
 * cut.
 */
export class WorkerAsks {
  readonly #send: (message: FromUpstreamPost) => void;
  readonly #waiting = new Map<number, WaitingAsk>();
  readonly #keepMsMax: number;
  /** Bytes of results that wait in memory until their rest is registered. */
  #keptBytes = 0;
  #lastId = 0;

  constructor(send: (message: FromUpstreamPost) => void, keepMsMax = upstreamKeepMsMax) {
    this.#send = send;
    this.#keepMsMax = keepMsMax;
  }

  /** @throws AppError `limit` when the call has too many open questions; otherwise the error in the answer */
  ask(callId: number, request: InputRequest): Promise<Params> {
    const open = [...this.#waiting.values()].filter((ask) => ask.callId === callId).length;
    if (open >= upstreamAsksMax) {
      const text = `The server has ${upstreamAsksMax} open questions already. It must wait for an answer.`;
      return Promise.reject(new AppError("limit", text));
    }
    return this.#put(callId, (askId) => ({ kind: "ask", id: callId, askId, request }));
  }

  /**
   * The background task through which the client reads the rest; undefined when the call has ended, nobody answers, or too much
   * waits already: the result waits for this in memory, and is in its file already.
   */
  async keep(callId: number, output: SavedResultRecord): Promise<number | undefined> {
    // One alone may be larger.
    if (this.#keptBytes > 0 && this.#keptBytes + output.bytes > upstreamKeepBytesMax)
      return undefined;
    this.#keptBytes += output.bytes;
    const askId = this.#lastId + 1;
    const refuse = (): void => this.refuse(askId, "worker", "It was not registered in time.");
    const timer = startTimer(this.#keepMsMax, refuse);
    try {
      const message = (askId: number) => ({ kind: "keep", id: callId, askId, output }) as const;
      const { taskId } = await this.#put(callId, message);
      return typeof taskId === "number" ? taskId : undefined;
    } catch {
      return undefined;
    } finally {
      timer.stop();
      this.#keptBytes -= output.bytes;
    }
  }

  #put(callId: number, message: (askId: number) => FromUpstreamPost): Promise<Params> {
    const askId = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Params>();
    this.#waiting.set(askId, { callId, resolve, reject });
    this.#send(message(askId));
    return promise;
  }

  answer(askId: number, answer: Params): void {
    this.#take(askId)?.resolve(answer);
  }

  refuse(askId: number, code: AppErrorCode, message: string): void {
    this.#take(askId)?.reject(new AppError(code, message));
  }

  /** Rejects the open questions of a call that has ended. */
  endCall(callId: number): void {
    for (const [askId, ask] of this.#waiting) {
      if (ask.callId !== callId) continue;
      this.#waiting.delete(askId);
      ask.reject(new AppError("cancelled", "The call of this question has ended."));
    }
  }

  #take(askId: number): WaitingAsk | undefined {
    const ask = this.#waiting.get(askId);
    this.#waiting.delete(askId);
    return ask;
  }
}
