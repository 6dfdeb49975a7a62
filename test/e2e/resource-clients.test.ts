import { expect, setDefaultTimeout, test } from "bun:test";

import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { within } from "./harness/conditions.ts";
import { Gate } from "./harness/gate.ts";
import { testMsMax } from "./harness/platform.ts";
import { testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const clientInfo = { name: "e2e", version: "1" };
const uri = "scorpiox://background/1";

/** Starts the server of a test when the client connects. */
function parameters(home: TempFolder) {
  return {
    command: productBinary,
    env: testEnvironment(home.path),
    cwd: home.path,
    stderr: "pipe" as const,
  };
}

function background(gate: Gate): { name: string; arguments: Record<string, unknown> } {
  return { name: "BackgroundBash", arguments: { command: gate.command("before", "after") } };
}

test("[clients.resources] the official SDK v1 lists, reads and subscribes", async () => {
  using home = new TempFolder();
  using gate = new Gate();
  const client = new Client1(clientInfo);
  const updated = Promise.withResolvers<string>();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
    updated.resolve(params.uri),
  );
  try {
    await client.connect(new Stdio1(parameters(home)));
    await client.callTool(background(gate));
    const { resources } = await client.listResources();
    expect(resources.map((resource) => resource.uri)).toContain(uri);
    expect((await client.listResourceTemplates()).resourceTemplates.length).toBe(4);
    await client.subscribeResource({ uri });
    gate.open();
    expect(await within("an update", 10_000, updated.promise)).toBe(uri);
    expect((await client.readResource({ uri })).contents).toMatchObject([{ uri }]);
  } finally {
    await client.close();
  }
});

test("[clients.resources] the official SDK v2 listens in 2026-07-28", async () => {
  using home = new TempFolder();
  using gate = new Gate();
  const client = new Client2(clientInfo, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const updated = Promise.withResolvers<string>();
  client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
    updated.resolve(params.uri),
  );
  try {
    await client.connect(new Stdio2(parameters(home)));
    await client.callTool(background(gate));
    const { resources } = await client.listResources();
    expect(resources.map((resource) => resource.uri)).toContain(uri);
    const resourceSubscriptions = [uri];
    const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions });
    expect(subscription.honoredFilter).toEqual({ toolsListChanged: true, resourceSubscriptions });
    gate.open();
    expect(await within("an update", 10_000, updated.promise)).toBe(uri);
    expect((await client.readResource({ uri })).contents).toMatchObject([{ uri }]);
    await subscription.close();
  } finally {
    await client.close();
  }
});
