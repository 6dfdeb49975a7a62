import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { pathToFileURL } from "node:url";

import { Client as Client2, SSEClientTransport as Sse2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as Sse1 } from "@modelcontextprotocol/sdk/client/sse.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

import { faultyBinary } from "./harness/binary.ts";
import { HttpServer } from "./harness/http-server.ts";
import { builtTools } from "./harness/built-tools.ts";
import { legacyVersions } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";

setDefaultTimeout(testMsMax);

const token = "laptop-0123456789abcdef";
const requestInit = { headers: { authorization: `Bearer ${token}` } };
const clientInfo = { name: "e2e", version: "1" };

let server: HttpServer;
/** The same program with tools that ask the client. */
let asking: HttpServer;
beforeAll(async () => {
  [server, asking] = await Promise.all([
    HttpServer.start({ args: ["--sse"], tokens: [`laptop ${token}`] }),
    HttpServer.start({ args: ["--sse"], binary: faultyBinary }),
  ]);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await asking[Symbol.asyncDispose]();
});

const streamOf = ({ url }: HttpServer): URL => new URL("/sse", url);

/** The v1 client always asks for its newest revision; this makes it ask for another that it knows. */
class OlderSse extends Sse1 {
  readonly #version: string;

  constructor(version: string) {
    super(streamOf(server), { requestInit });
    this.#version = version;
  }

  override send(message: Parameters<Sse1["send"]>[0]): Promise<void> {
    if (!("method" in message) || message.method !== "initialize") return super.send(message);
    return super.send({
      ...message,
      params: { ...message.params, protocolVersion: this.#version },
    });
  }
}

/** What both SDK clients offer, as far as these tests go. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

async function expectWorking(client: AnyClient): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([...builtTools]);
  const call = { name: "Bash", arguments: { command: "echo $((6 * 7))" } };
  const { content } = (await client.callTool(call)) as { content: { text: string }[] };
  expect(content[0]?.text).toBe("42\n");
}

describe("official SDK v1", () => {
  test.each(legacyVersions)("[sse.sdk-v1] lists and calls tools in %s", async (version) => {
    const client = new Client1(clientInfo);
    try {
      await client.connect(new OlderSse(version));
      await client.ping();
      await expectWorking(client);
    } finally {
      await client.close();
    }
  });

  test("[sse.sdk-v1] progress and cancellation work as that client does them", async () => {
    const client = new Client1(clientInfo);
    try {
      await client.connect(new Sse1(streamOf(server), { requestInit }));
      const heard: string[] = [];
      const abort = new AbortController();
      const call = client.callTool(
        { name: "Bash", arguments: { command: "echo one; sleep 30" } },
        undefined,
        {
          signal: abort.signal,
          onprogress: ({ message }) => {
            heard.push(message ?? "");
            abort.abort("enough");
          },
        },
      );
      expect(call).rejects.toThrow("enough");
      await call.catch(() => {});
      expect(heard).toEqual(["one"]);
      await client.ping();
    } finally {
      await client.close();
    }
  });

  test("[sse.sdk-v1] is asked on the stream, and answers by POST", async () => {
    const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
    const client = new Client1(clientInfo, { capabilities });
    const message = {
      role: "assistant" as const,
      model: "m",
      content: { type: "text" as const, text: "Paris" },
    };
    const roots = { roots: [{ uri: pathToFileURL(asking.home.path).href, name: "A" }] };
    client.setRequestHandler(ElicitRequestSchema, () => ({
      action: "accept",
      content: { name: "Ada" },
    }));
    client.setRequestHandler(CreateMessageRequestSchema, () => message);
    client.setRequestHandler(ListRootsRequestSchema, () => roots);
    const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
      const result = await client.callTool({ name, arguments: args });
      return (result as { content: { text: string }[] }).content[0]?.text ?? "";
    };
    try {
      await client.connect(new Sse1(streamOf(asking)));
      expect(await call("AskingGreet", {})).toBe("Hello, Ada");
      const kinds = ["url", "sampling", "roots"];
      expect(JSON.parse(await call("AskingAnything", { kinds }))).toMatchObject({
        sampling: message,
        roots,
      });
    } finally {
      await client.close();
    }
  });
});

describe("official SDK v2", () => {
  test.each(["legacy", "auto"] as const)("[sse.sdk-v2] %s", async (mode) => {
    const client = new Client2(clientInfo, { versionNegotiation: { mode } });
    try {
      await client.connect(new Sse2(streamOf(server), { requestInit }));
      expect(client.getNegotiatedProtocolVersion()).toBe("2025-11-25");
      await expectWorking(client);
    } finally {
      await client.close();
    }
  });
});
