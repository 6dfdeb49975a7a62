import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { pathToFileURL } from "node:url";

import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

import { ensureBuilt, faultyBinary } from "./harness/binary.ts";
import { HttpServer } from "./harness/http-server.ts";
import { modernVersion } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(faultyBinary);

const clientInfo = { name: "e2e", version: "1" };
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const transports = ["stdio", "HTTP"] as const;
type TransportName = (typeof transports)[number];

let http: HttpServer;
let home: TempFolder;
beforeAll(async () => {
  home = new TempFolder();
  http = await HttpServer.start({ binary: faultyBinary });
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

function stdioParameters(): { command: string; env: Record<string, string>; stderr: "pipe" } {
  return { command: faultyBinary, env: testEnvironment(home.path), stderr: "pipe" };
}

/** What the person in front of these clients answers. */
const accepted = {
  action: "accept" as const,
  content: { name: "Ada", dish: "soup", drink: "tea" },
};
const roots = (): { roots: { uri: string; name: string }[] } => ({
  roots: [{ uri: pathToFileURL(home.path).href, name: "A" }],
});
const message = {
  role: "assistant" as const,
  model: "m",
  content: { type: "text" as const, text: "Paris" },
};

/** What both SDK clients offer, as far as these tests go. */
interface AnyClient {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

async function expectAsked(client: AnyClient): Promise<void> {
  const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const { content } = (await client.callTool({ name, arguments: args })) as {
      content: { text: string }[];
    };
    return content[0]?.text ?? "";
  };
  try {
    expect(await call("AskingGreet", {})).toBe("Hello, Ada");
    expect(await call("AskingOrder", { seconds: 0 })).toBe("started\nsoup and tea\n");
    const kinds = ["url", "sampling", "roots"];
    expect(JSON.parse(await call("AskingAnything", { kinds }))).toEqual({
      url: { action: "accept" },
      sampling: message,
      roots: roots(),
    });
  } finally {
    await client.close();
  }
}

describe("official SDK v1", () => {
  test.each(transports)("[ask.sdk-v1] over %s", async (transport) => {
    const client = new Client1(clientInfo, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, () => accepted);
    client.setRequestHandler(CreateMessageRequestSchema, () => message);
    client.setRequestHandler(ListRootsRequestSchema, roots);
    const url = new URL(http.client.url);
    const overHttp = (): Parameters<Client1["connect"]>[0] => new Http1(url);
    await client.connect(transport === "HTTP" ? overHttp() : new Stdio1(stdioParameters()));
    await expectAsked(client);
  });
});

describe("official SDK v2", () => {
  const modes: [TransportName, string, "legacy" | { pin: string }][] = transports.flatMap(
    (name) => [
      [name, "2025-11-25", "legacy" as const],
      [name, modernVersion, { pin: modernVersion }],
    ],
  );
  test.each(modes)("[ask.sdk-v2] over %s in %s", async (transport, version, mode) => {
    const client = new Client2(clientInfo, { capabilities, versionNegotiation: { mode } });
    client.setRequestHandler("elicitation/create", () => accepted);
    client.setRequestHandler("sampling/createMessage", () => message);
    client.setRequestHandler("roots/list", roots);
    const overHttp = (): Http2 => new Http2(new URL(http.client.url));
    await client.connect(transport === "HTTP" ? overHttp() : new Stdio2(stdioParameters()));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    await expectAsked(client);
  });
});
