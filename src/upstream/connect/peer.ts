import { cutEnd } from "../../base/cut-text.ts";
import {
  upstreamMessageDepthMax,
  upstreamQuestionCharsMax,
  upstreamRawCharsShown,
  upstreamSaidCharsMax,
} from "../../base/upstream-limits.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import { metaOf } from "../../protocol/message.ts";
import {
  ConnectionError,
  type OutgoingMessage,
  type ClientTransport,
  type TransportEvents,
} from "./connection.ts";
import { isNestedDeeper } from "./nesting.ts";
import { type CallHooks, type CallOrigin, PendingCall, type PeerReply } from "./pending-calls.ts";

export interface PeerRequest extends CallOrigin {
  readonly method: string;
  readonly params: Params;
  readonly signal: AbortSignal;
  /** Absent: as long as the connection lives. */
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  readonly hooks?: CallHooks;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called before it is sent. */
  readonly onId?: (id: number) => void;
}

/** Receives the messages that the server sends on its own. Must not throw. */
export interface PeerEvents {
  onNotification(method: string, params: Params, call: PendingCall | undefined): void;
  /** A request of the server; `reply` sends the answer. */
  onRequest(request: Params, origin: PendingCall | undefined): void;
  onStray(text: string): void;
  onClosed(error: ConnectionError): void;
}

/**
 * JSON-RPC on scorpiox-code's side of a link: ids, answers, cancellation. It only handles requests and answers, and
 * does not touch their content: results are passed on whole (docs/gateway.md#connections), unlike in the library's
 * client class.
 */
export class Peer implements TransportEvents {
  /** Set once, before anything is sent: link and peer refer to each other. */
  link!: ClientTransport;
  /** In the modern revisions the end of its stream cancels a request. */
  isModern = false;
  readonly #events: PeerEvents;
  readonly #calls = new Map<number, PendingCall>();
  readonly #disregarded = new Set<number>();
  #lastId = 0;
  #closed: ConnectionError | undefined;

  constructor(events: PeerEvents) {
    this.#events = events;
  }

  /** Calls that have no answer yet. */
  get calls(): readonly PendingCall[] {
    return [...this.#calls.values()];
  }

  /** @throws ConnectionError */
  request(request: PeerRequest): Promise<PeerReply> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (request.signal.aborted) return Promise.reject(cancelled());
    const call = new PendingCall(++this.#lastId, request.hooks ?? {}, request.idleMs, request);
    this.#calls.set(call.id, call);
    request.onId?.(call.id);
    // The limits are set up while the server already works on it.
    this.#send(request, call);
    call.follow(request.signal, () => this.#abandon(call, cancelled()));
    if (request.timeoutMs !== undefined) {
      call.limit(request.timeoutMs, (error) => this.#abandon(call, error));
    }
    return call.reply;
  }

  /**
   * Drops a call whose answer is not needed any more, without notifying the server: some requests must not be
   * cancelled.
   */
  disregard(id: number): void {
    if (this.#drop(id) !== undefined) this.#disregarded.add(id);
  }

  /** Ends a call whose answer was a task. */
  finish(call: PendingCall, end: Promise<PeerReply>): void {
    end.then(
      (reply) => this.#drop(call.id)?.settle(reply),
      (error: unknown) => this.#drop(call.id)?.fail(asConnectionError(error)),
    );
  }

  /** Never rejects: nothing waits for a notification. */
  async notify(method: string, params: Params = {}): Promise<void> {
    await this.link.send({ jsonrpc: "2.0", method, params })?.catch(() => {});
  }

  /** Answers a request of the server. */
  reply(message: Params): void {
    this.link.send({ jsonrpc: "2.0", ...message })?.catch(() => {});
  }

  onMessage(message: unknown, origin: number | undefined): void {
    if (Array.isArray(message)) {
      for (const each of message as readonly unknown[]) this.#take(each, origin);
    } else {
      this.#take(message, origin);
    }
  }

  onLost(id: number, error: ConnectionError): void {
    // The stream of its answer may end while the task goes on.
    if (this.#calls.get(id)?.task !== undefined) return;
    const call = this.#drop(id);
    if (call !== undefined) call.fail(error);
    else this.#events.onStray(`${error.message} (no call waits for it)`);
  }

  onStray(text: string): void {
    this.#events.onStray(text);
  }

  onClosed(error: ConnectionError): void {
    this.end(error);
    this.#events.onClosed(error);
  }

  /** Fails the waiting calls; nothing is sent any more. */
  end(error: ConnectionError): void {
    this.#closed ??= error;
    const calls = this.calls;
    this.#calls.clear();
    for (const call of calls) call.fail(error);
  }

  #send({ method, params, hooks, headers }: PeerRequest, call: PendingCall): void {
    const withToken =
      hooks?.onProgress === undefined
        ? params
        : { ...params, _meta: { ...metaOf(params), progressToken: call.id } };
    const message: OutgoingMessage = { jsonrpc: "2.0", id: call.id, method, params: withToken };
    const route = this.link.hasRequestStreams
      ? { signal: call.gone, ...(headers ? { headers } : {}) }
      : undefined;
    this.link.send(message, route)?.catch((error) => {
      this.#drop(call.id)?.fail(asConnectionError(error));
    });
  }

  /** Ends a call before its answer, and cancels it at the server as its era requires (CA8). */
  #abandon(call: PendingCall, error: ConnectionError): void {
    if (this.#drop(call.id) === undefined) return;
    // In this order: `call.fail` closes the stream, after which the server could not receive the reason.
    if (call.task !== undefined) call.task.cancel();
    else if (!(this.isModern && this.link.hasRequestStreams)) {
      void this.notify("notifications/cancelled", { requestId: call.id, reason: error.message });
    }
    call.fail(error);
  }

  #drop(id: number): PendingCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  #take(message: unknown, origin: number | undefined): void {
    if (!isObject(message)) return this.#events.onStray(shown(message));
    const { method, id, params } = message;
    const bearer = origin === undefined ? undefined : this.#calls.get(origin);
    const from = bearer?.owner ?? bearer;
    if (typeof method !== "string") return this.#settle(message);
    if (id !== undefined) return this.#events.onRequest(message, from);
    this.#notice(method, isObject(params) ? params : {}, from);
  }

  #notice(method: string, params: Params, from: PendingCall | undefined): void {
    if (method !== "notifications/progress") {
      return this.#events.onNotification(method, params, from);
    }
    const { progressToken: token } = params;
    const call = typeof token === "number" ? this.#calls.get(token) : undefined;
    if (call === undefined) this.#events.onStray("Progress of a call that is over or unknown.");
    else call.noteProgress(params);
  }

  #settle(message: Params): void {
    const { id } = message;
    // Only numbers are ids of this peer: `""`, `"1"` and null are not.
    const call = typeof id === "number" ? this.#calls.get(id) : undefined;
    if (typeof id === "number" && this.#disregarded.delete(id)) return;
    if (call === undefined || call.task !== undefined) {
      return this.#events.onStray(`An answer that nobody waits for: ${shown(message)}`);
    }
    const reply = readAnswer(message);
    try {
      if (reply !== undefined && call.becomesTask(reply)) return;
    } catch (error) {
      return this.#drop(call.id)?.fail(asConnectionError(error));
    }
    this.#drop(call.id);
    if (reply === undefined) call.fail(malformed(message));
    else call.settle(reply);
  }
}

/** Undefined unless it is either a result or an error (CA16). */
export function readAnswer(message: Params): PeerReply | undefined {
  const { result, error } = message;
  const hasResult = Object.hasOwn(message, "result");
  if (hasResult === Object.hasOwn(message, "error")) return undefined;
  if (isNestedDeeper(message, upstreamMessageDepthMax)) return undefined;
  if (hasResult) return { kind: "result", result };
  if (!isObject(error) || typeof error.code !== "number") return undefined;
  const { code, data } = error;
  const text = typeof error.message === "string" ? error.message : "";
  const fault = { code, message: cutEnd(text, upstreamSaidCharsMax) };
  const hasData = data !== undefined && JSON.stringify(data).length <= upstreamQuestionCharsMax;
  return { kind: "fault", fault: hasData ? { ...fault, data } : fault };
}

function malformed(message: Params): ConnectionError {
  const text = isNestedDeeper(message, upstreamMessageDepthMax)
    ? `The answer of the server nests deeper than ${upstreamMessageDepthMax} levels.`
    : `The answer of the server is neither a result nor an error: ${shown(message)}`;
  return new ConnectionError("protocol", text);
}

function shown(message: unknown): string {
  const json = isNestedDeeper(message, upstreamMessageDepthMax) ? "…" : JSON.stringify(message);
  return (json ?? "undefined").slice(0, upstreamRawCharsShown);
}

function cancelled(): ConnectionError {
  return new ConnectionError("cancelled", "The call was cancelled.");
}

function asConnectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  return new ConnectionError("lost", error instanceof Error ? error.message : String(error));
}
