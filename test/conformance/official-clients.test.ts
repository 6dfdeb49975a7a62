import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { testMsMax } from "../e2e/harness/platform.ts";
import { type HttpFixture, startHttpFixture } from "./fixture-http.ts";

setDefaultTimeout(testMsMax);

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture();
});
afterAll(() => http[Symbol.asyncDispose]());

const stdio = {
  command: process.execPath,
  args: [join(import.meta.dir, "fixture-server.ts"), "--stdio"],
};
const clientInfo = { name: "e2e", version: "1" };

/** What both SDK clients offer, as far as this test goes. */
interface AnyClient {
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: unknown[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(params: {
    name: string;
    arguments: Record<string, string>;
  }): Promise<{ messages: unknown[] }>;
  complete(params: {
    ref: { type: "ref/prompt"; name: string };
    argument: { name: string; value: string };
  }): Promise<{ completion: { values: string[] } }>;
  close(): Promise<void>;
}

async function connectClient1(transport: "stdio" | "HTTP"): Promise<AnyClient> {
  const client = new Client1(clientInfo);
  const overHttp = (): Parameters<Client1["connect"]>[0] => new Http1(new URL(http.url));
  await client.connect(transport === "HTTP" ? overHttp() : new Stdio1(stdio));
  return client;
}

async function connectClient2(
  transport: "stdio" | "HTTP",
  mode: "legacy" | { pin: string },
): Promise<AnyClient> {
  const client = new Client2(clientInfo, { versionNegotiation: { mode } });
  const overHttp = (): Http2 => new Http2(new URL(http.url));
  await client.connect(transport === "HTTP" ? overHttp() : new Stdio2(stdio));
  return client;
}

const clients: readonly (readonly [string, () => Promise<AnyClient>])[] = (
  ["stdio", "HTTP"] as const
).flatMap((transport) => [
  [`SDK v1 over ${transport}`, () => connectClient1(transport)] as const,
  [`SDK v2 over ${transport}, legacy`, () => connectClient2(transport, "legacy")] as const,
  [
    `SDK v2 over ${transport}, 2026-07-28`,
    () => connectClient2(transport, { pin: "2026-07-28" }),
  ] as const,
]);

test.each(clients)("%s reads resources, prompts and completions", async (_, connect) => {
  const client = await connect();
  try {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      "test://static-text",
      "test://static-binary",
      "test://watched-resource",
      "skill://review-notes/SKILL.md",
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "test://template/{id}/data",
    ]);
    const uri = "test://static-text";
    expect((await client.readResource({ uri })).contents).toEqual([
      { uri, mimeType: "text/plain", text: "This is the content of the static text resource." },
    ]);
    const name = "test_prompt_with_arguments";
    const { prompts } = await client.listPrompts();
    expect(prompts.map((prompt) => prompt.name)).toContain(name);
    const { messages } = await client.getPrompt({ name, arguments: { arg1: "a", arg2: "b" } });
    const text = "Prompt with arguments: arg1='a', arg2='b'";
    expect(messages).toEqual([{ role: "user", content: { type: "text", text } }]);
    const argument = { name: "arg1", value: "te" };
    const { completion } = await client.complete({ ref: { type: "ref/prompt", name }, argument });
    expect(completion.values).toEqual(["test"]);
    const nothing = client.readResource({ uri: "test://nothing" });
    expect(String(await nothing.catch((error: unknown) => error))).toContain("Resource not found");
  } finally {
    await client.close();
  }
});
