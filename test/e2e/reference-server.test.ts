import { expect, setDefaultTimeout, test } from "bun:test";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { everythingProgram, startEverything } from "./harness/everything-server.ts";
import { testMsMax } from "./harness/platform.ts";
import { eventually } from "./harness/conditions.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const modern = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "e2e", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

/** An entry of the configuration, and what has to live as long as it. */
async function entryOf(way: "pipe" | "mcp" | "sse"): Promise<AsyncDisposable & { text: string }> {
  if (way === "pipe") {
    const args = JSON.stringify([everythingProgram, "stdio"]);
    const text = `command = ${JSON.stringify(process.execPath)}\nargs = ${args}`;
    return { text, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const server = await startEverything(way);
  return {
    text: `url = ${JSON.stringify(server.url)}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function said({ result, error }: ServerMessage): string {
  return JSON.stringify(error ?? result);
}

/** Each way and each era; how a client speaks is nothing to a connection of ours. */
const rows = [
  ["pipe", "legacy"],
  ["mcp", "modern"],
  ["sse", "legacy"],
  ...onlyLong([
    ["pipe", "modern"],
    ["mcp", "legacy"],
    ["sse", "modern"],
  ] as const),
] as const;

test.each(rows)(
  "[gateway.gw-43] the reference server, by %s, for a %s client",
  async (way, era) => {
    await using entry = await entryOf(way);
    using home = new TempFolder();
    home.write(".scorpiox/config.toml", `[mcp.servers.ref]\n${entry.text}\n`);
    await using server = new Server({ home });
    const more = era === "modern" ? modern : {};
    if (era === "legacy") await server.initialize();
    const call = (name: string, args: object): Promise<ServerMessage> =>
      server.request("tools/call", { name, arguments: args, ...more });

    // Where processors are busy the first call may come too early, which it is told.
    await eventually("it is called", async () =>
      said(await call("mcp__ref__echo", { message: "hi" })).includes("Echo: hi"),
    );
    expect(said(await call("mcp__ref__get-structured-content", { location: "Chicago" }))).toContain(
      '"structuredContent":{"temperature"',
    );
    const resources = await server.request("resources/list", more);
    const listed = (resources.result?.["resources"] ?? []) as readonly { readonly uri: string }[];
    const uri = listed.find((each) => each.uri.startsWith("scorpiox://mcp/ref/"))?.uri;
    expect(said(await server.request("resources/read", { uri, ...more }))).toContain(
      '"contents":[{',
    );
    const prompt = await server.request("prompts/get", {
      name: "mcp__ref__simple-prompt",
      ...more,
    });
    expect(said(prompt)).toContain('"messages":[{');
  },
);
