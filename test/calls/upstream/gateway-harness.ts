import type { ClientLimits, CallRequest, ToolProvider } from "../../../src/calls/call.ts";
import { Changes } from "../../../src/calls/features.ts";
import type { CallEnd, GateStage } from "../../../src/calls/gate/gate-stage.ts";
import { Admissions, Gate, type GateParts } from "../../../src/calls/gate/gate.ts";
import type { StateServices } from "../../../src/calls/state-calls.ts";
import { UpstreamGateway } from "../../../src/calls/upstream/upstream-gateway.ts";
import type { KeptLists } from "../../../src/upstream/cache/kept-lists.ts";
import { encodeCallToolResult } from "../../../src/protocol/result-codec.ts";
import { ServerContext } from "../../../src/server/context/server-context.ts";
import { serveConnection } from "../../../src/server/serve-connection.ts";
import type {
  Answer,
  QuestionsReply,
  QuestionsRequest,
} from "../../../src/tools/state-services.ts";
import { SupervisorHarness } from "../../commands/background/supervisor-harness.ts";
import { C, notification, request, V } from "../../server/harness.ts";
import { MemoryTransport } from "../../server/transport/memory-transport.ts";
import { FakeUpstreams, listing } from "./fake-upstreams.ts";

const native = listing("Echo");

export interface HarnessOptions {
  readonly limits?: Partial<ClientLimits>;
  readonly defer?: "auto" | "on" | "off";
  readonly gate?: Omit<Partial<GateParts>, "stages"> & { readonly stages?: readonly GateStage[] };
  readonly mayUse?: (name: string) => boolean;
  readonly upstreams?: FakeUpstreams;
  readonly keptLists?: () => KeptLists | undefined;
}

type Message = Readonly<Record<string, unknown>>;

/** One server with other servers behind it, which a test plays, and one client, in either era. */
export class GatewayHarness implements AsyncDisposable {
  readonly services = new SupervisorHarness();
  readonly upstreams: FakeUpstreams;
  readonly changes = new Changes();
  readonly gateway: UpstreamGateway;
  readonly transport = new MemoryTransport();
  /** What people at this machine are asked, and say. */
  readonly asked: QuestionsRequest[] = [];
  answer: (request: QuestionsRequest) => QuestionsReply = () => ({ outcome: "unavailable" });
  ask = (request: QuestionsRequest): Promise<QuestionsReply> =>
    Promise.resolve(this.answer(request));
  /** Calls of our own tool. */
  readonly ownCalls: CallRequest[] = [];
  /** Requests that are no calls of tools. */
  readonly watched: [CallRequest, CallEnd][] = [];
  readonly #taken = new Set<number>();
  #lastId = 0;

  constructor(options: HarnessOptions = {}) {
    this.upstreams = options.upstreams ?? new FakeUpstreams();
    const { supervisor, savedOutputs } = this.services;
    const questions: StateServices["questions"] = {
      ask: (asked) => {
        this.asked.push(asked);
        return this.ask(asked);
      },
    };
    const nothing = {
      list: () => Promise.resolve([]),
      get: () => Promise.reject(new Error("none")),
    };
    this.gateway = new UpstreamGateway({
      upstreams: this.upstreams,
      changes: this.changes,
      defer: options.defer ?? "auto",
      builtInNames: ["Echo", "Bash"],
      enabledNames: ["Echo"],
      ownKey: "scorpiox-code",
      services: () =>
        Promise.resolve({
          supervisor,
          savedOutputs,
          questions: () => questions,
          addOutput: (clientId, output) => supervisor.tasksOf(clientId).addOutput(output),
          watchers: [{ ended: (call, end) => void this.watched.push([call, end]) }],
        }),
      ...(options.keptLists !== undefined && { keptLists: options.keptLists }),
      prompts: nothing,
      completion: { complete: () => Promise.resolve(undefined) },
    });
    serveConnection({
      transport: this.transport,
      server: this.#server(options),
      client: {
        id: "stdio",
        limitsFor: (name) => ({
          answerMs: 0,
          resultCharsMax: 30_000,
          ...(name === "hider" ? { hidesTools: true } : {}),
          ...options.limits,
        }),
        fallbackDir: this.services.folder,
        ...(options.mayUse === undefined ? {} : { mayUse: options.mayUse }),
      },
      drainMs: 0,
    });
  }

  #server({ gate = {} }: HarnessOptions): ServerContext {
    const { resolver, stage, listings, resources, prompts, completion } = this.gateway;
    const own: ToolProvider = {
      list: () => [native],
      call: (call) => {
        this.ownCalls.push(call);
        const text = `own ${call.name}`;
        const result = { content: [{ type: "text" as const, text }], isError: false };
        return Promise.resolve({
          kind: "result",
          json: encodeCallToolResult(result, call.version),
        });
      },
    };
    const { stages = [], ...rest } = gate;
    const gated = Promise.resolve(this.gateway.calls()).then(
      (calls) =>
        new Gate({
          own,
          upstream: calls,
          admissions: new Admissions([stage, ...stages]),
          notes: [],
          watchers: [],
          resolve: resolver.resolve,
          ...rest,
        }),
    );
    const ownListings = own.list();
    const router: ToolProvider = {
      takesOtherNames: true,
      list: () => listings.now(ownListings),
      listFor: (client, version) =>
        listings.listFor(ownListings, client, { version, showsApps: false }),
      taskSupport: (name) => (name === "Echo" ? "none" : "optional"),
      call: async (call) => (await gated).call(call),
    };
    const changing = new Set(["tools", "prompts", "resources"] as const);
    const features = {
      tools: router,
      resources,
      prompts,
      completion,
      changes: this.changes,
      changing,
    };
    const stateKey = (): Promise<Uint8Array> => Promise.resolve(new Uint8Array(32));
    return new ServerContext({ features, instructions: "", stateKey });
  }

  /** A legacy client. */
  async initialize(
    capabilities: object = {},
    protocolVersion = "2025-11-25",
    name = "client",
  ): Promise<void> {
    const params = { protocolVersion, capabilities, clientInfo: { name, version: "1" } };
    this.transport.deliver(
      request("init", "initialize", params),
      notification("notifications/initialized"),
    );
    await this.until((message) => message["id"] === "init");
  }

  /** The first message that fits and that nobody has waited for. */
  async until(fits: (message: Message) => boolean): Promise<Message> {
    const { sent } = this.transport;
    for (let index = 0; ; index++) {
      if (index >= sent.length) await this.transport.sentAtLeast(index + 1);
      const message = JSON.parse(sent[index] ?? "") as Message;
      if (this.#taken.has(index) || !fits(message)) continue;
      this.#taken.add(index);
      return message;
    }
  }

  /** Sends a request of a legacy client; the promise is its reply. */
  send(method: string, params: object, id: number = ++this.#lastId): Promise<Message> {
    this.transport.deliver(request(id, method, params));
    return this.until((message) => message["id"] === id && !("method" in message));
  }

  /** The same of a client of the stateless era. */
  modern(method: string, params: object, capabilities: object = {}): Promise<Message> {
    const _meta = { [V]: "2026-07-28", [C]: capabilities };
    return this.send(method, { ...params, _meta });
  }

  call(name: string, args: object = {}, more: object = {}): Promise<Message> {
    return this.send("tools/call", { name, arguments: args, ...more });
  }

  /** Takes the next request of the server to this legacy client, and answers it. */
  async answerNext(result: object): Promise<Message> {
    const asked = await this.until((message) => "method" in message && "id" in message);
    this.transport.deliver({ jsonrpc: "2.0", id: asked["id"], result });
    return asked;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.gateway[Symbol.dispose]();
    await this.services[Symbol.asyncDispose]();
  }
}

/** The texts of a tool's result, or its error. */
export function said(reply: Message): unknown {
  const { result, error } = reply as {
    result?: { content?: readonly { text?: string }[]; isError?: boolean };
    error?: { code: number; message: string };
  };
  if (error !== undefined) return { code: error.code, message: error.message };
  const text = result?.content?.map((block) => block.text ?? "").join("\n");
  return result?.isError === true ? { isError: text } : text;
}

export function answered(...labels: readonly (readonly string[])[]): QuestionsReply {
  const answers = labels.map((each): Answer => ({ labels: each, other: null }));
  return { outcome: "answered", rung: "terminal", answers };
}
