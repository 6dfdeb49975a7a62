import type { CallOutcome, CallRequest, ToolProvider, TaskSupport } from "../../src/calls/call.ts";
import { Changes, type ServerFeatures } from "../../src/calls/features.ts";
import type { ToolListing } from "../../src/protocol/tool-types.ts";
import { ServerContext } from "../../src/server/context/server-context.ts";
import { warmHandlers } from "../../src/server/handlers/late.ts";
import { serveConnection, type Serving } from "../../src/server/serve-connection.ts";
import { MemoryTransport } from "./transport/memory-transport.ts";

// Loaded for all tests alike, whichever runs first.
await warmHandlers();

export const V = "io.modelcontextprotocol/protocolVersion";
export const C = "io.modelcontextprotocol/clientCapabilities";
const envelope = { [V]: "2026-07-28", [C]: {} };
/** The tasks extension, as a client declares it. */
export const tasksCapability = { extensions: { "io.modelcontextprotocol/tasks": {} } };

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const listings: readonly ToolListing[] = [
  { name: "Echo", title: "Echo", description: "d", inputSchema: { type: "object" }, annotations },
];

/** One call that the fake tools was asked for; a test settles it. */
interface AskedCall {
  readonly request: CallRequest;
  readonly outcome: PromiseWithResolvers<CallOutcome>;
}

/** Knows no tool; keeps each call open until the test settles it, or its signal is aborted. */
export class FakeTools implements ToolProvider {
  readonly calls: AskedCall[] = [];
  /** Tools that may become MCP tasks; a test adds to it. */
  readonly taskSupports = new Map<string, TaskSupport>();

  list(): readonly ToolListing[] {
    return listings;
  }

  call(request: CallRequest): Promise<CallOutcome> {
    const outcome = Promise.withResolvers<CallOutcome>();
    request.cancellation.onCancel(() => outcome.resolve({ kind: "cancelled" }));
    this.calls.push({ request, outcome });
    return outcome.promise;
  }

  taskSupport(toolName: string): TaskSupport {
    return this.taskSupports.get(toolName) ?? "none";
  }

  /** Answers the call with the given position. */
  answer(position: number, json = '{"content":[]}'): void {
    this.calls[position]?.outcome.resolve({ kind: "result", json });
  }
}

export interface TestServer {
  readonly transport: MemoryTransport;
  readonly tools: FakeTools;
  readonly connection: Serving;
  /** Delivers the messages in one chunk and waits for `count` more to be sent; returns those, parsed. */
  readonly exchange: (
    count: number,
    ...messages: readonly unknown[]
  ) => Promise<readonly unknown[]>;
  /** Everything sent since the last look, parsed. */
  readonly news: () => readonly unknown[];
}

/**
 * @param offered what the server has beside its tools, or instead
 * @param clientId whom live state belongs to
 */
export function startServer(
  drainMs = 0,
  offered: Partial<ServerFeatures> = {},
  clientId = "stdio",
  onInputEnd: () => void = () => {},
): TestServer {
  const transport = new MemoryTransport();
  const tools = new FakeTools();
  const connection = serveConnection({
    transport,
    server: new ServerContext({
      features: { tools, changes: new Changes(), changing: new Set(), ...offered },
      instructions: "Use the tools.",
      stateKey: () => Promise.resolve(new Uint8Array(32)),
    }),
    client: {
      id: clientId,
      limitsFor: (name) => ({ answerMs: name === "known" ? 1 : 2, resultCharsMax: 3 }),
      fallbackDir: "/fallback",
    },
    drainMs,
    onInputEnd,
  });
  let seen = 0;
  const news = (): readonly unknown[] => {
    const fresh = transport.sent.slice(seen);
    seen = transport.sent.length;
    return fresh.map((text) => JSON.parse(text) as unknown);
  };
  const exchange = async (
    count: number,
    ...messages: readonly unknown[]
  ): Promise<readonly unknown[]> => {
    const wanted = seen + count;
    transport.deliver(...messages);
    await transport.sentAtLeast(wanted);
    return news();
  };
  return { transport, tools, connection, exchange, news };
}

/** A server whose session has the given revision. */
export async function startSession(
  protocolVersion: string,
  capabilities: Readonly<Record<string, unknown>> = {},
  offered: Partial<ServerFeatures> = {},
): Promise<TestServer> {
  const server = startServer(0, offered);
  await server.exchange(
    1,
    request("init", "initialize", { protocolVersion, capabilities, clientInfo: { name: "known" } }),
    notification("notifications/initialized"),
  );
  return server;
}

export function request(id: unknown, method: string, params?: unknown): Record<string, unknown> {
  return params === undefined
    ? { jsonrpc: "2.0", id, method }
    : { jsonrpc: "2.0", id, method, params };
}

export function modern(
  id: unknown,
  method: string,
  params: object = {},
  capabilities = {},
): Record<string, unknown> {
  const { _meta: own } = params as { readonly _meta?: object };
  const _meta = { ...own, ...envelope, [C]: capabilities };
  return request(id, method, { ...params, _meta });
}

export function notification(method: string, params?: unknown): Record<string, unknown> {
  return params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
}

export function result(id: unknown, value: unknown): Record<string, unknown> {
  return { jsonrpc: "2.0", id, result: value };
}

export function error(id: unknown, code: number, message: string): Record<string, unknown> {
  const fault = { code, message };
  return id === undefined ? { jsonrpc: "2.0", error: fault } : { jsonrpc: "2.0", id, error: fault };
}
