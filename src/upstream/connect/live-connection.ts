import { signalOf } from "../../base/cancellation.ts";
import { upstreamPingMsMax, upstreamTaskKeptMs } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import {
  type AppSupport,
  noClientCapabilities,
  extensionIds,
} from "../../protocol/client-capabilities.ts";
import { errorCodes, isLogLevel, type Params } from "../../protocol/json-rpc.ts";
import { legacyVersionLatest } from "../../protocol/message.ts";
import {
  ConnectionError,
  type ConnectionEvents,
  type ConnectionReply,
  type ConnectionRequest,
  type ConnectOptions,
  type Era,
  type ServerCatalogue,
  type UpstreamConnection,
} from "./connection.ts";
import {
  CallHeaders,
  joinCapabilities,
  requestCapabilities,
  withEnvelope,
  type Greeting,
} from "./handshake.ts";
import type { Met } from "./negotiate-pipe.ts";
import type { Peer, CallHooks, CallOrigin } from "./peer.ts";
import { type AskList, readLists } from "./read-lists.ts";
import { readReply, type PeerReply } from "./read-reply.ts";
import { ServerRequests } from "./server-requests.ts";
import { SharedLists } from "./shared-lists.ts";
import { ConnectionSubscriptions } from "./subscriptions.ts";
import { type AskTask, type TaskForm, UpstreamTaskCall, readTask } from "./task-call.ts";
import { LegacyTask, ModernTask } from "./task-forms.ts";

/** A connection to a server after the negotiation. */
export class LiveConnection implements UpstreamConnection {
  readonly era: Era;
  readonly pid?: number;
  readonly subscriptions: ConnectionSubscriptions;
  readonly #options: ConnectOptions;
  readonly #met: Met;
  readonly #headers = new CallHeaders();
  readonly #tasks: CallTasks;
  readonly #lists = new SharedLists();

  constructor(options: ConnectOptions, met: Met, given: ConnectionEvents) {
    const events: ConnectionEvents = {
      ...given,
      onListChanged: (list) => {
        this.#lists.onChanged();
        given.onListChanged(list);
      },
    };
    const { peer, greeting } = met;
    this.#options = options;
    this.#met = met;
    this.era = greeting.era;
    if (peer.transport.pid !== undefined) this.pid = peer.transport.pid;
    peer.isModern = this.#isModern;
    const requests = new ServerRequests(peer, options, events);
    this.#tasks = new CallTasks({ peer, greeting, requests });
    this.subscriptions = new ConnectionSubscriptions(peer, greeting, events, (params) =>
      this.#shape(params),
    );
    this.subscriptions.start();
  }

  mayWorkForOthers(clientId: string | undefined): boolean {
    return this.#peer.mayWorkForOthers(clientId);
  }

  tellRootsChanged(): void {
    // A modern server asks with each call.
    if (this.#isModern || this.#options.roots?.isAsked !== true) return;
    this.#met.peer.notify("notifications/roots/list_changed").catch(() => {});
  }

  readCatalogue(signal: AbortSignal): Promise<ServerCatalogue> {
    if (this.#options.servesSeveral !== true) return this.#readCatalogue(signal);
    return this.#lists.read(signal, (shared) => this.#readCatalogue(shared));
  }

  async #readCatalogue(signal: AbortSignal): Promise<ServerCatalogue> {
    const { greeting } = this.#met;
    const { tools, prompts, resources } = greeting.capabilities;
    if (![tools, prompts, resources].some(isObject)) {
      const said = JSON.stringify(greeting.capabilities).slice(0, 200);
      throw new ConnectionError(
        "protocol",
        `The server offers no tools, prompts or resources. Its capabilities: ${said}`,
      );
    }
    const apps = this.#listApps;
    const read = await readLists(greeting, this.#askList(signal));
    const catalogue = apps === undefined ? read : { ...read, apps };
    if (!this.#mirrorsArguments) return catalogue;
    const learned = this.#headers.learn(catalogue.tools);
    return {
      ...catalogue,
      tools: learned.tools,
      problems: [...catalogue.problems, ...learned.problems],
    };
  }

  async request(request: ConnectionRequest): Promise<ConnectionReply> {
    const reply = await this.#send(request);
    const { era } = this;
    return readReply(reply.kind === "fault" ? await this.#asWanted(request, reply) : reply, era);
  }

  /** Sends a request again that the server takes in another form only: as a task, or with other headers. */
  async #asWanted(request: ConnectionRequest, fault: PeerReply): Promise<PeerReply> {
    const reply = this.#tasks.learn(request, fault) ? await this.#send(request) : fault;
    // Its schema has changed since its arguments were last read: docs/spec/modern.md#headers.
    const isStale = reply.kind === "fault" && reply.fault.code === errorCodes.headerMismatch;
    if (!isStale || !this.#mirrorsArguments || request.method !== "tools/call") {
      return reply;
    }
    this.#lists.onChanged();
    await this.readCatalogue(signalOf(request.signal));
    return this.#send(request);
  }

  async ping(signal: AbortSignal): Promise<void> {
    const method = this.#isModern ? "server/discover" : "ping";
    await this.#peer.request({
      method,
      params: this.#shape({}),
      signal,
      timeoutMs: upstreamPingMsMax,
    });
  }

  subscribe(uri: string, subscriber: string): Promise<boolean> {
    return this.subscriptions.subscribe(uri, subscriber);
  }

  unsubscribe(uri: string, subscriber: string): Promise<void> {
    return this.subscriptions.unsubscribe(uri, subscriber);
  }

  forget(subscriber: string): void {
    this.subscriptions.forget(subscriber);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.subscriptions[Symbol.dispose]();
    this.#peer.end(new ConnectionError("lost", "The connection was closed."));
    await this.#peer.transport.close();
  }

  #send(request: ConnectionRequest): Promise<PeerReply> {
    const { method, signal, timeoutMs, idleMs } = request;
    const params = this.#paramsOf(request);
    const sent = { method, params, signal, timeoutMs, idleMs, hooks: hooksOf(request) };
    // Only a modern server learns of the client with each request, and only few legacy calls are tasks.
    if (!this.#isModern && request.mustBeTask !== true) return this.#peer.request(sent);
    const capabilities = joinCapabilities(
      requestCapabilities(request.capabilities, this.#options),
      this.#tasks.capabilities(request),
    );
    const logLevel = request.onLog === undefined ? undefined : "info";
    const headers =
      this.#mirrorsArguments && method === "tools/call"
        ? { headers: this.#headers.of(params) }
        : {};
    const shapeOfTask = (more: Params): Params =>
      this.#shape(more, joinCapabilities(capabilities, taskExtension));
    return this.#peer.request({
      ...sent,
      params: this.#shape(params, capabilities, logLevel),
      ...this.#tasks.origin(request, shapeOfTask),
      ...headers,
    });
  }

  #paramsOf(request: ConnectionRequest): Params {
    const { params, mustBeTask, inputResponses, requestState } = request;
    const isAsItCame = inputResponses === undefined && requestState === undefined;
    if (isAsItCame && mustBeTask !== true) return params;
    return {
      ...params,
      ...this.#tasks.params(request),
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    };
  }

  #askList(signal: AbortSignal): AskList {
    const apps = this.#listApps;
    const client = { ...noClientCapabilities, ...(apps === undefined ? {} : { apps }) };
    const said = requestCapabilities(client, this.#options);
    return (method) => (params, timeoutMs) =>
      this.#peer.request({ method, params: this.#shape(params, said), signal, timeoutMs });
  }

  get #listApps(): AppSupport | undefined {
    const { apps, listApps } = this.#options;
    return this.#isModern && listApps !== undefined ? listApps() : apps;
  }

  /** Shapes parameters for the server's era. */
  #shape(params: Params, capabilities?: Params, logLevel?: string): Params {
    if (!this.#isModern) return params;
    const said = capabilities ?? requestCapabilities(noClientCapabilities, this.#options);
    const { protocolVersion } = this.#met.greeting;
    return withEnvelope(params, protocolVersion, said, this.#options.product, logLevel);
  }

  get #isModern(): boolean {
    return this.#met.greeting.era === "modern";
  }

  get #mirrorsArguments(): boolean {
    return this.#isModern && this.#options.endpoint.transport === "http";
  }

  get #peer(): Peer {
    return this.#met.peer;
  }
}

/** Always asks for progress, since it keeps a call from being cancelled as idle. */
function hooksOf(request: ConnectionRequest): CallHooks {
  const { method, capabilities, clientId, ask, onProgress, onLog } = request;
  const asking = { capabilities, clientId, ask };
  return {
    asking,
    onLog,
    onProgress: method === "tools/call" ? (onProgress ?? ignore) : undefined,
  };
}

const ignore = (): void => {};

/** Passes a server's log message to the call on whose stream it came, otherwise to the connection. */
export function tellLog({ level, data, logger }: Params, tell: ConnectionEvents["onLog"]): void {
  tell(isLogLevel(level) ? level : "info", data, typeof logger === "string" ? logger : undefined);
}

interface CallTasksParts {
  readonly peer: Peer;
  readonly greeting: Greeting;
  readonly requests: ServerRequests;
}

/** The capabilities of a client with the extension. */
const taskExtension = { extensions: { [extensionIds.tasks]: {} } };

/**
 * Decides which calls of a server's tools are made as tasks: only those that cannot be made otherwise, since a task
 * reports nothing between two polls.
 */
class CallTasks {
  readonly #parts: CallTasksParts;
  /** Tools of a modern server that it has refused to call other than as a task. */
  readonly #demanding = new Set<string>();

  constructor(parts: CallTasksParts) {
    this.#parts = parts;
  }

  /**
   * The parameters that make the call a task of 2025-11-25.
   * @throws ConnectionError when it would have to be a task and the server does not support tasks
   */
  params({ method, mustBeTask = false, timeoutMs }: ConnectionRequest): Params {
    const { protocolVersion, capabilities } = this.#parts.greeting;
    if (method !== "tools/call" || !mustBeTask || protocolVersion !== legacyVersionLatest)
      return {};
    if (memberOf(capabilities, "tasks", "requests", "tools", "call") === undefined) {
      const text =
        "The tool can only be called as a task, but its server does not declare support for tasks. That is a fault of the server.";
      throw new ConnectionError("refused", text);
    }
    return { task: { ttl: Math.ceil(timeoutMs) + upstreamTaskKeptMs } };
  }

  /** The capabilities for a call to a modern server. */
  capabilities({ method, params }: ConnectionRequest): Params {
    return method === "tools/call" && this.#demanding.has(String(params.name)) ? taskExtension : {};
  }

  /** True when the tool was refused because it can only be called as a task, and the next attempt will be one. */
  learn({ method, params }: ConnectionRequest, reply: PeerReply): boolean {
    if (method !== "tools/call" || reply.kind !== "fault") return false;
    const { code, data } = reply.fault;
    const { capabilities } = this.#parts.greeting;
    const path = ["extensions", extensionIds.tasks] as const;
    const isWanted =
      code === errorCodes.missingClientCapability &&
      memberOf(data, "requiredCapabilities", ...path) !== undefined &&
      memberOf(capabilities, ...path) !== undefined;
    const name = String(params.name);
    if (!isWanted || this.#demanding.has(name)) return false;
    this.#demanding.add(name);
    return true;
  }

  /** Follows the task, if the answer of the call is one. */
  origin({ method, mustBeTask }: ConnectionRequest, shape: (params: Params) => Params): CallOrigin {
    const { peer, greeting, requests } = this.#parts;
    const mayBeTask = greeting.era === "modern" || mustBeTask === true;
    if (method !== "tools/call" || !mayBeTask) return {};
    return {
      taskOf: (reply, call) => {
        const task = reply.kind === "result" ? taskIn(reply.result, greeting.era) : undefined;
        if (task === undefined) return undefined;
        const formOf = (ask: AskTask): TaskForm =>
          greeting.era === "legacy"
            ? new LegacyTask(ask)
            : new ModernTask(ask, (request) => requests.askFor(request, call));
        return new UpstreamTaskCall(readTask(task), { peer, call, shape, formOf });
      },
    };
  }
}

function taskIn(result: unknown, era: Greeting["era"]): unknown {
  if (!isObject(result)) return undefined;
  if (era === "modern") return result.resultType === "task" ? result : undefined;
  return isObject(result.task) && result.content === undefined ? result.task : undefined;
}

function memberOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}
