import { setTimeout as sleep } from "node:timers/promises";
import { startTimer } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import {
  upstreamBusyRetriesMax,
  upstreamReasonCharsMax,
  upstreamRetryAfterMsMax,
} from "../../base/upstream-limits.ts";
import type { JsonText } from "../../base/weight.ts";
import {
  ConnectionError,
  type ConnectionReply,
  type ConnectionRequest,
  type UpstreamConnection,
} from "../connect/connection.ts";
import { demandsTask } from "../connect/task-call.ts";
import { UnusableAnswer } from "../results/clean-result.ts";
import type { UpstreamCall, UpstreamCallEvents, UpstreamReply } from "../upstreams.ts";
import {
  BlockedCall,
  blockedFailure,
  circuitFailure,
  downFailure,
  failed,
  mayReplay,
  needsApproval,
  requestFailure,
  permissionFailure,
  subjectOf,
} from "./call-failure.ts";
import type { CircuitBreaker } from "./call-figures.ts";
import { ConnectionDown, orCancelled } from "./connection-down.ts";
import { logInDuringCall, wantsLogin } from "./log-in-during-call.ts";
import type { ManagedConnection } from "./managed-connection.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { cleanEvents, cleanReply, shapeReply } from "./shape-reply.ts";

/** One request to one server, from its connection to the reply for the client. */
export class ServerCall {
  readonly #server: ManagedServer;
  readonly #call: UpstreamCall;
  readonly #signal: AbortSignal;
  readonly #parts: ManagerParts & { readonly events: UpstreamCallEvents };
  readonly #startedAt: number;

  constructor(
    server: ManagedServer,
    call: UpstreamCall,
    events: UpstreamCallEvents,
    signal: AbortSignal,
    parts: ManagerParts,
  ) {
    this.#server = server;
    this.#call = call;
    this.#signal = signal;
    this.#parts = { ...parts, events };
    this.#startedAt = parts.clock();
  }

  /** @throws AppError `cancelled` only */
  async run(): Promise<UpstreamReply> {
    const refusal = permissionFailure(this.#server) ?? blockedFailure(this.#server, this.#call);
    if (refusal !== undefined) return refusal;
    const waitMs = this.#server.breaker.enter(this.#parts.clock());
    if (waitMs > 0) return circuitFailure(this.#server.name, waitMs);
    try {
      const reply = await this.#request().catch((error: unknown) => this.#again(error));
      this.#note((breaker) => breaker.onAnswer());
      return await this.#shape(reply);
    } catch (error) {
      return this.#failure(error);
    }
  }

  /** Repeats a request that has failed with `first`, after a login where one is wanted. @throws the last failure */
  async #again(first: unknown): Promise<ConnectionReply> {
    try {
      return await this.#repeated(first);
    } catch (error) {
      if (!wantsLogin(error) || this.#signal.aborted) throw error;
      const [server, call, parts] = [this.#server, this.#call, this.#parts];
      const isIn = await logInDuringCall(server, call, parts.events, parts, this.#signal);
      if (!isIn) throw error;
      return this.#request().catch((failure: unknown) => this.#repeated(failure));
    }
  }

  /** Repeats a request after a lost connection, where that does no harm, and later when the server is busy. */
  async #repeated(first: unknown): Promise<ConnectionReply> {
    let replays = mayReplay(this.#call, this.#server.offer) ? 1 : 0;
    for (let [error, waits] = [first, 0]; ;) {
      if (!(error instanceof ConnectionError) || this.#signal.aborted) throw error;
      const waitMs = Math.min(error.retryAfterMs ?? 0, upstreamRetryAfterMsMax);
      if (error.failure === "lost" && replays > 0) replays--;
      else if (error.failure === "busy" && this.#mayWait(error, waits)) {
        waits++;
        await sleep(waitMs, undefined, { signal: this.#signal });
      } else throw error;
      try {
        return await this.#request();
      } catch (failure) {
        error = failure;
      }
    }
  }

  #mayWait(error: ConnectionError, waits: number): boolean {
    const { retryAfterMs } = error;
    return (
      retryAfterMs !== undefined && waits < upstreamBusyRetriesMax && retryAfterMs < this.#leftMs
    );
  }

  get #leftMs(): number {
    return Math.max(1, this.#call.timeoutMs - (this.#parts.clock() - this.#startedAt));
  }

  async #request(): Promise<ConnectionReply> {
    const call = this.#call;
    const { linkSets } = this.#server;
    if (linkSets === undefined)
      throw new ConnectionDown("its entry is being changed", "stopped", undefined);
    const links = linkSets.of(call.capabilities.apps);
    const lent = links.forCall(call);
    if (lent === undefined) {
      const reason = "it has too many connections already; end some clients";
      throw new ConnectionDown(reason, "failed", undefined);
    }
    try {
      const listed = linkSets.listed(links, lent.link);
      if (listed !== lent.link && this.#ready(listed) === undefined) await this.#connected(listed);
      const connection = this.#ready(lent.link) ?? (await this.#connected(lent.link));
      return await connection.request(this.#requestOf(call));
    } finally {
      lent.giveBack();
    }
  }

  #requestOf(call: UpstreamCall): ConnectionRequest {
    const { inputResponses, requestState } = call;
    const tool = this.#server.offer.tool(String(call.params.name))?.item;
    return {
      method: call.method,
      params: call.params,
      ...(tool?.execution !== undefined && demandsTask(tool) ? { mustBeTask: true } : {}),
      capabilities: call.capabilities,
      clientId: call.clientId,
      signal: this.#signal,
      timeoutMs: this.#leftMs,
      idleMs: this.#server.configured.entry.options.idleMs,
      ...cleanEvents(this.#parts.events, this.#server.clean, call.wantsProgress),
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    };
  }

  /** The connection that a call need not wait for. */
  #ready(link: ManagedConnection): UpstreamConnection | undefined {
    const there = link.ready ?? link.connection;
    return there !== undefined && this.#lookAt(there) === undefined ? there : undefined;
  }

  /** The time of the call includes the start of the server and the reading of its lists. */
  async #connected(link: ManagedConnection): Promise<UpstreamConnection> {
    const there = link.ready ?? link.connection;
    const late = new AbortController();
    const timer = startTimer(this.#leftMs, () => late.abort());
    const signal = AbortSignal.any([this.#signal, late.signal]);
    try {
      const connection = there ?? (await link.connected(signal));
      const look = this.#lookAt(connection);
      if (look !== undefined) await orCancelled(look, signal);
      const refusal = blockedFailure(this.#server, this.#call);
      if (refusal !== undefined) throw new BlockedCall(refusal.text);
      return connection;
    } catch (error) {
      if (this.#signal.aborted || !late.signal.aborted) throw error;
      throw new ConnectionError("timeout", "it was still being started");
    } finally {
      timer.stop();
    }
  }

  /** Catalogues of earlier runs may be outdated, so calls wait until the lists of a new connection are read. */
  #lookAt(connection: UpstreamConnection): Promise<void> | undefined {
    return needsApproval(this.#call) ? this.#server.reader.firstReading(connection) : undefined;
  }

  #shape(reply: ConnectionReply): UpstreamReply | Promise<UpstreamReply> {
    if (reply.kind !== "result") {
      this.#server.figures.onAnswer(this.#tookMs, 0);
      return cleanReply(reply, this.#server.clean);
    }
    const json = shapeReply(reply.result, this.#call, this.#server, this.#parts);
    return json instanceof Promise ? json.then((made) => this.#shaped(made)) : this.#shaped(json);
  }

  #shaped(json: JsonText): UpstreamReply {
    this.#server.figures.onAnswer(this.#tookMs, json.json.length);
    return { kind: "result", json };
  }

  get #tookMs(): number {
    return this.#parts.clock() - this.#startedAt;
  }

  #failure(error: unknown): UpstreamReply {
    if (error instanceof BlockedCall) {
      this.#note((breaker) => breaker.onOther());
      return failed("blocked", error.message);
    }
    const { figures, name } = this.#server;
    const failure = error instanceof ConnectionError ? error.failure : undefined;
    this.#note((breaker) => {
      if (failure === "timeout") breaker.onTimeout(this.#parts.clock());
      else if (failure === "needs_auth") breaker.onRefused();
      else breaker.onOther();
    });
    if (this.#signal.aborted || failure === "cancelled") {
      throw new AppError("cancelled", "The call was cancelled.");
    }
    figures.onFailure();
    const reply = this.#failureReply(error);
    const text = this.#server.clean(reply.text).slice(0, upstreamReasonCharsMax).toWellFormed();
    this.#server.log.say(text);
    this.#parts.host.notify({ kind: "failure", server: name, reason: reply.reason, text });
    return { ...reply, text };
  }

  /** Records the outcome of a call, which may change the status of the server. */
  #note(tell: (breaker: CircuitBreaker) => void): void {
    const { breaker } = this.#server;
    const before = breaker.trouble(this.#parts.clock());
    tell(breaker);
    if (breaker.trouble(this.#parts.clock()) !== before) this.#parts.onChange();
  }

  #failureReply(error: unknown): Extract<UpstreamReply, { kind: "failed" }> {
    const { name } = this.#server;
    if (error instanceof UnusableAnswer) return failed(error.reason, error.message);
    if (error instanceof ConnectionDown) return downFailure(this.#server, error);
    if (error instanceof ConnectionError)
      return requestFailure(this.#server, this.#call, error, this.#tookMs);
    const said = error instanceof Error ? error.message : String(error);
    const what = subjectOf(this.#call);
    return failed("worker", `The call of ${what} of the server ${name} failed: ${said}`);
  }
}
