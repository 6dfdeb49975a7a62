import { type Abortable, orAborted } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { upstreamReasonCharsMax } from "../../base/upstream-limits.ts";
import type { Writable } from "../../base/values.ts";
import type { JsonText } from "../../base/weight.ts";
import {
  ConnectionError,
  type ConnectionReply,
  type ConnectionRequest,
  type UpstreamConnection,
} from "../connect/connection.ts";
import { demandsTask } from "../connect/task-call.ts";
import { cleanEvents, cleanReply } from "../results/clean-result.ts";
import type { UpstreamCall, UpstreamCallEvents, UpstreamReply } from "../upstreams.ts";
import { argumentsFault, blockedFailure, needsApproval, permissionFailure } from "./call-checks.ts";
import { circuitFailure, failed, callFailureOf, requestAgain } from "./call-failure.ts";
import { afterSplit, CallTime } from "./call-time.ts";
import { ConnectionDown } from "./connection-parts.ts";
import type { ManagedConnection } from "./managed-connection.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { listsWantLogin, loginIdOf, LoginWanted } from "./principal-login.ts";
import { shapeReply } from "./shape-reply.ts";

/** Makes one call to a server, once its arguments match the tool's schema. @throws AppError `cancelled` only */
export async function callServer(
  server: ManagedServer,
  call: UpstreamCall,
  events: UpstreamCallEvents,
  signal: Abortable,
  parts: ManagerParts,
): Promise<UpstreamReply> {
  if (server.looked !== undefined) await orAborted(server.looked, signal);
  const { method, params } = call;
  if (method === "tools/call" && typeof params.name === "string") {
    const checking = argumentsFault(server, params.name, params.arguments, parts.checks);
    const fault = checking instanceof Promise ? await checking : checking;
    if (fault !== undefined) return failed("invalid_arguments", fault);
  }
  return new ServerCall(server, call, events, signal, parts).run();
}

/** One request to one server, from its connection to the reply for the client. */
class ServerCall {
  readonly #server: ManagedServer;
  readonly #call: UpstreamCall;
  readonly #signal: Abortable;
  readonly #events: UpstreamCallEvents;
  readonly #parts: ManagerParts;
  readonly #time: CallTime;

  constructor(
    server: ManagedServer,
    call: UpstreamCall,
    events: UpstreamCallEvents,
    signal: Abortable,
    parts: ManagerParts,
  ) {
    this.#server = server;
    this.#call = call;
    this.#signal = signal;
    this.#events = events;
    this.#parts = parts;
    this.#time = new CallTime(call.timeoutMs, signal);
  }

  /** @throws AppError `cancelled` only */
  async run(): Promise<UpstreamReply> {
    const refusal = permissionFailure(this.#server) ?? blockedFailure(this.#server, this.#call);
    if (refusal !== undefined) return refusal;
    const waitMs = this.#server.breaker.enter(performance.now());
    if (waitMs > 0) return circuitFailure(this.#server.name, waitMs);
    try {
      const reply = await this.#replied();
      this.#note((breaker) => breaker.onAnswer());
      const shaped = this.#shape(reply);
      return shaped instanceof Promise ? await shaped : shaped;
    } catch (error) {
      return this.#failure(error);
    }
  }

  async #replied(): Promise<ConnectionReply> {
    try {
      return await afterSplit(() => this.#request());
    } catch (error) {
      return await requestAgain(error, {
        server: this.#server,
        call: this.#call,
        events: this.#events,
        parts: this.#parts,
        signal: this.#signal,
        request: () => afterSplit(() => this.#request()),
        leftMs: () => this.#time.leftMs,
      });
    }
  }

  async #request(): Promise<ConnectionReply> {
    const call = this.#call;
    const { sets } = this.#server;
    if (sets === undefined)
      throw new ConnectionDown("its entry is being changed", "stopped", undefined);
    const set = sets.of(call.capabilities.apps);
    const login = set.target.isPerUser ? loginIdOf(set.target, call) : undefined;
    const lent = set.forCall(login === undefined ? call : { ...call, login: await login });
    if (lent === undefined) {
      const reason = "it has too many connections already; end some clients";
      throw new ConnectionDown(reason, "failed", undefined);
    }
    try {
      const turn = this.#time.turn(lent);
      if (turn !== undefined) await turn;
      const listed = sets.listed(set, lent.connection);
      if (listed !== lent.connection && this.#ready(listed) === undefined)
        await this.#listed(listed);
      const live = this.#ready(lent.connection) ?? (await this.#connected(lent.connection));
      return await live.request(this.#requestOf(call, lent.client));
    } finally {
      lent.giveBack();
    }
  }

  #requestOf(call: UpstreamCall, clientId: string): ConnectionRequest {
    const { inputResponses, requestState } = call;
    const tool = this.#server.offer.tool(String(call.params.name))?.item;
    const { ask, onLog, onProgress } = cleanEvents(this.#events, this.#clean, call.wantsProgress);
    const request: Writable<ConnectionRequest> = {
      method: call.method,
      params: call.params,
      capabilities: call.capabilities,
      clientId,
      signal: this.#signal,
      timeoutMs: this.#time.leftMs,
      idleMs: this.#server.configured.entry.options.idleMs,
      ask,
    };
    if (onLog !== undefined) request.onLog = onLog;
    if (onProgress !== undefined) request.onProgress = onProgress;
    if (tool?.execution !== undefined && demandsTask(tool)) request.mustBeTask = true;
    if (inputResponses !== undefined) request.inputResponses = inputResponses;
    if (requestState !== undefined) request.requestState = requestState;
    return request;
  }

  /** Waits for the connection whose lists are used. */
  async #listed(connection: ManagedConnection): Promise<void> {
    try {
      await this.#connected(connection);
    } catch (error) {
      const isLogin = error instanceof ConnectionDown && error.as === "needs_auth";
      throw isLogin && this.#isPerUser ? listsWantLogin(this.#server.name) : error;
    }
  }

  /** The connection that a call need not wait for. */
  #ready(connection: ManagedConnection): UpstreamConnection | undefined {
    const there = connection.live;
    return there !== undefined && this.#lookAt(there) === undefined ? there : undefined;
  }

  /** The time of the call includes the start of the server and the reading of its lists. */
  #connected(connection: ManagedConnection): Promise<UpstreamConnection> {
    return this.#time.within(
      (signal) => this.#opened(connection, signal),
      "it was still being started",
    );
  }

  async #opened(connection: ManagedConnection, signal: AbortSignal): Promise<UpstreamConnection> {
    const live = connection.live ?? (await connection.connected(signal));
    const look = this.#lookAt(live);
    if (look !== undefined) await orAborted(look, signal);
    const refusal = blockedFailure(this.#server, this.#call);
    if (refusal !== undefined) throw new BlockedCall(refusal.text);
    return live;
  }

  /** Catalogues of earlier runs may be outdated, so calls wait until the lists of a new connection are read. */
  #lookAt(connection: UpstreamConnection): Promise<void> | undefined {
    return needsApproval(this.#call) ? this.#server.reader.firstReading(connection) : undefined;
  }

  get #isPerUser(): boolean {
    return this.#server.main?.target.isPerUser === true;
  }

  /** Text of the server without what must not be seen by the caller. */
  readonly #clean = (text: string): string => {
    const target = this.#isPerUser ? this.#server.main?.target : undefined;
    return (target?.cleanFor(this.#call.owner) ?? this.#server.clean)(text);
  };

  #shape(reply: ConnectionReply): UpstreamReply | Promise<UpstreamReply> {
    if (reply.kind !== "result") {
      this.#server.figures.onAnswer(this.#time.tookMs, 0);
      return cleanReply(reply, this.#clean);
    }
    const parts = { ...this.#parts, clean: this.#clean };
    const json = shapeReply(reply.result, this.#call, this.#server, this.#events, parts);
    return json instanceof Promise ? json.then((made) => this.#shaped(made)) : this.#shaped(json);
  }

  #shaped(json: JsonText): UpstreamReply {
    this.#server.figures.onAnswer(this.#time.tookMs, json.json.length);
    return { kind: "result", json };
  }

  #failure(error: unknown): UpstreamReply {
    if (error instanceof BlockedCall) {
      this.#note((breaker) => breaker.onOther());
      return failed("blocked", error.message);
    }
    const { figures, name } = this.#server;
    const failure = error instanceof ConnectionError ? error.failure : undefined;
    this.#note((breaker) => {
      if (failure === "timeout") breaker.onTimeout(performance.now());
      // The login of one principal says nothing of that of others.
      else if (failure === "needs_auth" && !this.#isPerUser) breaker.onRefused();
      else breaker.onOther();
    });
    if (this.#signal.aborted || failure === "cancelled") {
      throw new AppError("cancelled", "The call was cancelled.");
    }
    figures.onFailure();
    const reply = callFailureOf(error, this.#server, this.#call, this.#time.tookMs);
    const text = this.#clean(reply.text).slice(0, upstreamReasonCharsMax).toWellFormed();
    const said = error instanceof LoginWanted ? error.said : text;
    this.#server.log.say(said);
    this.#parts.host.notify({ kind: "failure", server: name, reason: reply.reason, text: said });
    return { ...reply, text };
  }

  /** Records the outcome of a call, which may change the status of the server. */
  #note(tell: (breaker: ManagedServer["breaker"]) => void): void {
    const { breaker } = this.#server;
    const before = breaker.trouble(performance.now());
    tell(breaker);
    if (breaker.trouble(performance.now()) !== before) this.#parts.onChange();
  }
}

/** The definition of a called tool or prompt has changed since it was approved. The message is for the caller. */
class BlockedCall extends Error {
  override readonly name = "BlockedCall";
}
