import { describe, expect, setDefaultTimeout } from "bun:test";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  createTaskSessionFromClient,
  type JsonRpcResponse,
  resultFromTaskOutcome,
  type TaskEnabledSession,
} from "@modelcontextprotocol/ext-tasks/client";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { modernVersion } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { allGone, uniqueSeconds } from "./harness/processes.ts";
import { testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const clientInfo = { name: "e2e", version: "1" };
type Message = Parameters<StdioClientTransport["send"]>[0];

/** Lets requests past the SDK client, whose own codecs do not know results of the tasks extension. */
class RawTransport extends StdioClientTransport {
  readonly #waiting = new Map<string, (response: JsonRpcResponse) => void>();
  #lastId = 0;

  /** The client calls the listener that was there before it, and ignores responses that it did not ask for. */
  override onmessage = (message: Message): void => this.#take(message);

  /** Sends a request without an id and gives what it is answered with. */
  async dispatch(request: unknown): Promise<JsonRpcResponse> {
    this.#lastId += 1;
    const id = `raw-${this.#lastId}`;
    const { promise, resolve } = Promise.withResolvers<JsonRpcResponse>();
    this.#waiting.set(id, resolve);
    await this.send({ jsonrpc: "2.0", id, ...(request as object) } as Message);
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
  readonly #home = new TempFolder();
  readonly #client = new Client(clientInfo, {
    versionNegotiation: { mode: { pin: modernVersion } },
  });

  async connect(): Promise<TaskEnabledSession> {
    const transport = new RawTransport({
      command: productBinary,
      env: { ...testEnvironment(this.#home.path), SCORPIOX_CLIENT_BUDGET_MS: "1000" },
      cwd: this.#home.path,
      stderr: "pipe",
    });
    await this.#client.connect(transport);
    return createTaskSessionFromClient(this.#client, {
      endpointId: "e2e",
      rawDispatch: (request) => transport.dispatch(request),
      v2RequestFraming: {
        protocolVersion: modernVersion,
        clientInfo,
        clientCapabilities: {},
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
    this.#home[Symbol.dispose]();
  }
}

describe("official tasks client", () => {
  const rows: [string, string, object, "immediate" | "task", string][] = [
    ["quick", "Bash", { command: "echo quick" }, "immediate", "quick\n"],
    ["slow", "Bash", { command: "sleep 1.5; echo slow" }, "task", "slow\n"],
    ["background", "BackgroundBash", { command: "sleep 0.2" }, "task", "Started in the background"],
  ];
  posixTest.each(rows)("[tasks.client] %s: %s", async (_, name, args, kind, text) => {
    await using client = new TasksClient();
    const session = await client.connect();
    const execution = await session.callTool(name, args as never);
    expect(execution.kind).toBe(kind);
    const { outcome } = await execution.settle();
    const { content } = resultFromTaskOutcome(outcome) as { content: { text: string }[] };
    expect(content[0]?.text).toStartWith(text);
    await session.close();
  });

  posixTest("[tasks.client] a call is cancelled", async () => {
    await using client = new TasksClient();
    const session = await client.connect();
    const seconds = uniqueSeconds();
    const execution = await session.callTool("BackgroundBash", { command: `sleep ${seconds}` });
    await execution.cancel();
    const { outcome } = await execution.settle();
    expect(outcome.status).toBe("cancelled");
    await allGone(`sleep ${seconds}`);
    await session.close();
  });
});
