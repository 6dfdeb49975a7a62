import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { root } from "./harness/binary.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const fixture = join(root, "test/fixtures/upstream/main.ts");
const clients = [1, 2, 3];

function configure(home: TempFolder): void {
  const servers = ["one", "two"].map((name) => {
    const script = { tools: ["echo", "add"], name };
    return [name, { command: process.execPath, args: [fixture, JSON.stringify(script)] }];
  });
  const mcpServers = Object.fromEntries(servers) as object;
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers }));
}

const complete = ["one", "two"].flatMap((name) =>
  ["add", "echo"].map((tool) => `mcp__${name}__${tool}`),
);

async function firstList(home: TempFolder): Promise<readonly string[]> {
  await using server = new Server({ home });
  await server.initialize();
  const { result } = await server.request("tools/list");
  const tools = result?.["tools"] as readonly { readonly name: string }[];
  return tools
    .map(({ name }) => name)
    .filter((name) => name.startsWith("mcp__"))
    .sort();
}

test.each(clients)(
  "[gateway.first-lists] three clients that start at once with nothing cached all list every tool (%d)",
  async () => {
    using home = new TempFolder();
    configure(home);
    const lists = await Promise.all(clients.map(() => firstList(home)));
    expect(lists).toEqual(clients.map(() => complete));
  },
);
