import { AppError, type AppErrorCode } from "../../base/errors.ts";
import { upstreamAsksMax } from "../../base/upstream-limits.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { KeptResult } from "../upstreams.ts";
import type { FromUpstreamPost } from "./messages.ts";

interface WaitingAsk {
  readonly callId: number;
  readonly resolve: (answer: Params) => void;
  readonly reject: (error: AppError) => void;
}

/** What calls ask of the main thread: questions of servers, which it puts to the client, and ids for what was cut. */
export class WorkerAsks {
  readonly #send: (message: FromUpstreamPost) => void;
  readonly #waiting = new Map<number, WaitingAsk>();
  #lastId = 0;

  constructor(send: (message: FromUpstreamPost) => void) {
    this.#send = send;
  }

  /** @throws AppError `limit` when the call has asked too much at once; else as whoever answers says */
  ask(callId: number, request: InputRequest): Promise<Params> {
    const open = [...this.#waiting.values()].filter((ask) => ask.callId === callId).length;
    if (open >= upstreamAsksMax) {
      const text = `The server asks ${upstreamAsksMax} questions already. It has to wait for an answer.`;
      return Promise.reject(new AppError("limit", text));
    }
    return this.#put(callId, (askId) => ({ kind: "ask", id: callId, askId, request }));
  }

  /** The background task by which the client reads on; undefined when nobody waits for the call any more. */
  async keep(callId: number, output: KeptResult): Promise<number | undefined> {
    try {
      const message = (askId: number) => ({ kind: "keep", id: callId, askId, output }) as const;
      const { taskId } = await this.#put(callId, message);
      return typeof taskId === "number" ? taskId : undefined;
    } catch {
      return undefined;
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

  refuse(askId: number, code: string, message: string): void {
    this.#take(askId)?.reject(new AppError(code as AppErrorCode, message));
  }

  /** The call is over: nobody answers its questions. */
  endCall(callId: number): void {
    for (const [askId, ask] of this.#waiting) {
      if (ask.callId !== callId) continue;
      this.#waiting.delete(askId);
      ask.reject(new AppError("cancelled", "The call that this question belonged to is over."));
    }
  }

  #take(askId: number): WaitingAsk | undefined {
    const ask = this.#waiting.get(askId);
    this.#waiting.delete(askId);
    return ask;
  }
}
