import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test";

import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  createTaskSessionFromClient,
  type JsonRpcResponse,
  resultFromTaskOutcome,
  type TaskEnabledSession,
} from "@modelcontextprotocol/ext-tasks/client";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { Gate } from "./harness/gate.ts";
import { HttpServer } from "./harness/http-server.ts";
import { modernVersion } from "./harness/messages.ts";
import { clientInfo, stdioParameters } from "./harness/official-clients.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { allGone, uniqueSeconds } from "./harness/processes.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

/** A client that is answered within three seconds, in which a busy machine runs `echo`. */
const hurried = { SCORPIOX_CLIENT_BUDGET_MS: "3000" };
const home = new TempFolder();
let http: HttpServer;
beforeAll(async () => {
  http = await HttpServer.start({ env: hurried });
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

type TransportName = "stdio" | "HTTP";
type Message = Parameters<Transport["send"]>[0];

/** Lets requests past the SDK client, whose own codecs do not know results of the tasks extension. */
class RawRequests {
  readonly #transport: Transport;
  readonly #waiting = new Map<string, (response: JsonRpcResponse) => void>();
  #lastId = 0;

  /** The client calls the listener that was there before it, and ignores responses that it did not ask for. */
  constructor(transport: Transport) {
    this.#transport = transport;
    transport.onmessage = (message: Message): void => this.#take(message);
  }

  /** Sends a request without an id and gives what it is answered with. */
  async dispatch(request: unknown): Promise<JsonRpcResponse> {
    this.#lastId += 1;
    const id = `raw-${this.#lastId}`;
    const { promise, resolve } = Promise.withResolvers<JsonRpcResponse>();
    this.#waiting.set(id, resolve);
    await this.#transport.send({ jsonrpc: "2.0", id, ...(request as object) } as Message);
    return promise;
  }

  #take(message: Message): void {
    if (!("id" in message) || typeof message.id !== "string") return;
    const resolve = this.#waiting.get(message.id);
    if ("result" in message) resolve?.({ kind: "result", result: message.result as never });
    if ("error" in message) resolve?.({ kind: "error", error: message.error as never });
  }
}

/** A session of the official tasks client with the compiled server. */
class TasksClient implements AsyncDisposable {
  readonly #client = new Client(clientInfo, {
    versionNegotiation: { mode: { pin: modernVersion } },
  });

  async connect(name: TransportName): Promise<TaskEnabledSession> {
    const { env, ...parameters } = stdioParameters(home);
    const transport =
      name === "stdio"
        ? new StdioClientTransport({ ...parameters, env: { ...env, ...hurried } })
        : new StreamableHTTPClientTransport(new URL(http.url));
    const raw = new RawRequests(transport);
    await this.#client.connect(transport);
    return createTaskSessionFromClient(this.#client, {
      endpointId: "e2e",
      rawDispatch: (request) => raw.dispatch(request),
      v2RequestFraming: {
        protocolVersion: modernVersion,
        clientInfo,
        clientCapabilities: {},
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}

describe.each<TransportName>(["stdio", "HTTP"])("official tasks client over %s", (transport) => {
  const rows: [string, string, (gate: Gate) => string, "immediate" | "task", string][] = [
    ["quick", "Bash", () => "echo quick", "immediate", "quick\n"],
    ["slow", "Bash", (gate) => `${gate.wait}; echo slow`, "task", "slow\n"],
    ["background", "BackgroundBash", (gate) => gate.wait, "task", "Started in the background"],
  ];
  posixTest.each(rows)("[tasks.client] %s: %s", async (_, name, command, kind, text) => {
    using gate = new Gate();
    await using client = new TasksClient();
    const session = await client.connect(transport);
    const execution = await session.callTool(name, { command: command(gate) });
    expect(execution.kind).toBe(kind);
    gate.open();
    const { outcome } = await execution.settle();
    const { content } = resultFromTaskOutcome(outcome) as { content: { text: string }[] };
    expect(content[0]?.text).toStartWith(text);
    await session.close();
  });

  posixTest("[tasks.client] a call is cancelled", async () => {
    await using client = new TasksClient();
    const session = await client.connect(transport);
    const seconds = uniqueSeconds();
    const execution = await session.callTool("BackgroundBash", { command: `sleep ${seconds}` });
    await execution.cancel();
    const { outcome } = await execution.settle();
    expect(outcome.status).toBe("cancelled");
    await allGone(`sleep ${seconds}`);
    await session.close();
  });
});
