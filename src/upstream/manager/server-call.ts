import type { Abortable } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { upstreamReasonCharsMax } from "../../base/upstream-limits.ts";
import { isObject, type Writable } from "../../base/values.ts";
import type { JsonText } from "../../base/weight.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { ServerEntry } from "../config/server-entry.ts";
import {
  ConnectionError,
  type ConnectionReply,
  type ConnectionRequest,
  type UpstreamConnection,
  type RawTool,
} from "../connect/connection.ts";
import { demandsTask } from "../connect/task-call.ts";
import { cleanEvents, cleanReply } from "../results/clean-result.ts";
import { type ResultParts, shapeCallResult } from "../results/shape-call-result.ts";
import {
  shapeCompletion,
  shapeContents,
  shapePrompt,
  verifySkillFile,
} from "../results/shape-contents.ts";
import type { UpstreamCall, UpstreamCallEvents, UpstreamReply } from "../upstreams.ts";
import { circuitFailure, failed, type Failed, failureOf, requestAgain } from "./call-failure.ts";
import { afterSplit, CallTime } from "./call-time.ts";
import { ConnectionDown, orCancelled } from "./connection-parts.ts";
import type { ManagedConnection } from "./managed-connection.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { ManagerParts } from "./manager-parts.ts";

/** Makes one call to a server, once its arguments match the tool's schema. @throws AppError `cancelled` only */
export async function callServer(
  server: ManagedServer,
  call: UpstreamCall,
  events: UpstreamCallEvents,
  signal: Abortable,
  parts: ManagerParts,
): Promise<UpstreamReply> {
  if (server.looked !== undefined) await orCancelled(server.looked, signal);
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
      const turn = this.#time.turn(lent);
      if (turn !== undefined) await turn;
      const listed = linkSets.listed(links, lent.link);
      if (listed !== lent.link && this.#ready(listed) === undefined) await this.#connected(listed);
      const connection = this.#ready(lent.link) ?? (await this.#connected(lent.link));
      return await connection.request(this.#requestOf(call, lent.client));
    } finally {
      lent.giveBack();
    }
  }

  #requestOf(call: UpstreamCall, clientId: string): ConnectionRequest {
    const { inputResponses, requestState } = call;
    const tool = this.#server.offer.tool(String(call.params.name))?.item;
    const { ask, onLog, onProgress } = cleanEvents(
      this.#events,
      this.#server.clean,
      call.wantsProgress,
    );
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

  /** The connection that a call need not wait for. */
  #ready(link: ManagedConnection): UpstreamConnection | undefined {
    const there = link.connection;
    return there !== undefined && this.#lookAt(there) === undefined ? there : undefined;
  }

  /** The time of the call includes the start of the server and the reading of its lists. */
  #connected(link: ManagedConnection): Promise<UpstreamConnection> {
    return this.#time.within((signal) => this.#opened(link, signal), "it was still being started");
  }

  async #opened(link: ManagedConnection, signal: AbortSignal): Promise<UpstreamConnection> {
    const connection = link.connection ?? (await link.connected(signal));
    const look = this.#lookAt(connection);
    if (look !== undefined) await orCancelled(look, signal);
    const refusal = blockedFailure(this.#server, this.#call);
    if (refusal !== undefined) throw new BlockedCall(refusal.text);
    return connection;
  }

  /** Catalogues of earlier runs may be outdated, so calls wait until the lists of a new connection are read. */
  #lookAt(connection: UpstreamConnection): Promise<void> | undefined {
    return needsApproval(this.#call) ? this.#server.reader.firstReading(connection) : undefined;
  }

  #shape(reply: ConnectionReply): UpstreamReply | Promise<UpstreamReply> {
    if (reply.kind !== "result") {
      this.#server.figures.onAnswer(this.#time.tookMs, 0);
      return cleanReply(reply, this.#server.clean);
    }
    const json = shapeReply(reply.result, this.#call, this.#server, this.#events, this.#parts);
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
      else if (failure === "needs_auth") breaker.onRefused();
      else breaker.onOther();
    });
    if (this.#signal.aborted || failure === "cancelled") {
      throw new AppError("cancelled", "The call was cancelled.");
    }
    figures.onFailure();
    const reply = failureOf(error, this.#server, this.#call, this.#time.tookMs);
    const text = this.#server.clean(reply.text).slice(0, upstreamReasonCharsMax).toWellFormed();
    this.#server.log.say(text);
    this.#parts.host.notify({ kind: "failure", server: name, reason: reply.reason, text });
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

/** The faults of a call's arguments against the tool's schema, and what to do; undefined when they match (CA1). */
export function argumentsFault(
  { name, offer }: ManagedServer,
  tool: string,
  args: unknown,
  checks: ManagerParts["checks"],
): Fault | Promise<Fault> {
  const judged = offer.tool(tool);
  if (judged === undefined) return undefined;
  const fault = checks.check(judged.item.inputSchema, args ?? {});
  return fault instanceof Promise
    ? fault.then((found) => argumentsText(name, judged.item, found))
    : argumentsText(name, judged.item, fault);
}

type Fault = string | undefined;

function argumentsText(server: string, tool: RawTool, fault: Fault): Fault {
  if (fault === undefined) return undefined;
  const { properties } = tool.inputSchema;
  const names = Object.keys(
    typeof properties === "object" && properties !== null ? properties : {},
  );
  const known = names.length === 0 ? "none" : names.slice(0, namesShownMax).join(", ");
  return `The arguments for ${tool.name} of the server ${server} do not match its schema: ${fault}. It takes: ${known}.`;
}

/** Argument names shown in a fault; `tool_search` shows all. */
const namesShownMax = 30;

/** The reason why a configured server cannot be called at all; undefined when it can. */
function permissionFailure({ name, permission, isStopped }: ManagedServer): Failed | undefined {
  if (permission === undefined) {
    return failed(
      "unreachable",
      `The values that the server ${name} needs are still being looked up. Try again.`,
    );
  }
  if (permission.kind === "usable") {
    if (!isStopped) return undefined;
    return failed(
      "unreachable",
      `The server ${name} was stopped. Start it: ${product.name} mcp test ${name}.`,
    );
  }
  if (permission.kind !== "disabled") return failed(permission.kind, permission.text);
  return failed(
    "unreachable",
    `The server ${name} is switched off in the configuration (enabled = false).`,
  );
}

/**
 * The refusal of a call to an unapproved tool or prompt, for every caller (TR3). Undefined when the call is allowed.
 */
function blockedFailure(server: ManagedServer, call: UpstreamCall): Failed | undefined {
  if (!needsApproval(call)) return undefined;
  const { method, params } = call;
  const name = typeof params.name === "string" ? params.name : "";
  const called = method === "tools/call" ? server.offer.tool(name) : server.offer.prompt(name);
  const isFree = called === undefined || called.state === "approved";
  return isFree ? undefined : failed("blocked", called.text);
}

/** Whether a call of this method needs an approval. */
function needsApproval({ method }: UpstreamCall): boolean {
  return method === "tools/call" || method === "prompts/get";
}

/** The definition of a called tool or prompt has changed since it was approved. The message is for the caller. */
class BlockedCall extends Error {
  override readonly name = "BlockedCall";
}

/**
 * Turns a server's answer into the client's result; at once where nothing in it has to be checked or kept elsewhere.
 * @throws UnusableAnswer
 */
function shapeReply(
  answer: unknown,
  call: UpstreamCall,
  server: ManagedServer,
  events: UpstreamCallEvents,
  { results, checks }: ManagerParts,
): JsonText | Promise<JsonText> {
  const parts: ResultParts = {
    server: server.name,
    clean: server.clean,
    charsMax: charsMaxOf(call, server.configured.entry),
    results: () => results.of(call.clientId, events),
  };
  switch (call.method) {
    case "resources/read":
      verifySkillFile(answer, String(call.params.uri), server.offer.skills);
      return shapeContents(answer, parts);
    case "prompts/get":
      return shapePrompt(answer, parts);
    case "completion/complete":
      return shapeCompletion(answer, parts);
    case "tools/call": {
      const tool = String(call.params.name);
      const schema = server.offer.tool(tool)?.item.outputSchema;
      const structured = isObject(answer) ? answer.structuredContent : undefined;
      const fault = isObject(schema) ? structureFault(schema, structured, checks) : undefined;
      const onProblem = (problem: string): void => server.log.say(problem);
      const { promisesStructure = false } = call;
      const shape = (structureFault: string | undefined): JsonText | Promise<JsonText> => {
        const told = { ...parts, tool, structureFault, promisesStructure, onProblem };
        return shapeCallResult(answer, told, call.version);
      };
      return fault instanceof Promise ? fault.then(shape) : shape(fault);
    }
  }
}

/** The limit of characters: the user's entry overrides the client's; a project's can only lower it (CA13). */
function charsMaxOf({ resultCharsMax }: UpstreamCall, { options, origin }: ServerEntry): number {
  const { maxResultChars } = options;
  if (maxResultChars === undefined) return resultCharsMax;
  return origin.trust === "user" ? maxResultChars : Math.min(resultCharsMax, maxResultChars);
}

function structureFault(
  schema: Params,
  structured: unknown,
  checks: ManagerParts["checks"],
): ReturnType<ManagerParts["checks"]["check"]> {
  return structured === undefined ? "it is missing" : checks.check(schema, structured);
}
