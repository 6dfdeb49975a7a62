import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { eventually } from "./harness/conditions.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { shareOf } from "../fixtures/long-run.ts";
import { upstreamLaunch } from "../fixtures/upstream/launch.ts";

setDefaultTimeout(testMsMax);

const clients = [1, 2, 3];
/** Whether one of them is late is found now and then only. */
const rounds = Array.from({ length: shareOf(3) }, (_, index) => index + 1);

function configure(home: TempFolder, more: object = {}): void {
  const servers = ["one", "two"].map((name) => {
    const script = { tools: ["echo", "add"], name };
    return [name, { ...upstreamLaunch(script), ...more }];
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
  return await namesOf(server);
}

async function namesOf(server: Server): Promise<readonly string[]> {
  const { result } = await server.request("tools/list");
  const tools = result?.["tools"] as readonly { readonly name: string }[];
  return tools
    .map(({ name }) => name)
    .filter((name) => name.startsWith("mcp__"))
    .sort();
}

test.each(rounds)(
  "[gateway.first-lists] three clients that start at once with nothing cached all list every tool (%d)",
  async () => {
    using home = new TempFolder();
    configure(home);
    const lists = await Promise.all(clients.map(() => firstList(home)));
    expect(lists).toEqual(clients.map(() => complete));
  },
);

test("[gateway.kept-lists] the first list of a later start is at once that of the one before, unless something has changed", async () => {
  using home = new TempFolder();
  configure(home);
  // The first contact approves what is offered; the second start finds nothing changed any more.
  for (let count = 0; count < 2; count++) expect(await firstList(home)).toEqual(complete);
  const folder = home.at(".scorpiox/cache/mcp/lists");
  await eventually("kept lists", () => existsSync(folder));
  const [file = ""] = readdirSync(folder);
  const path = join(folder, file);
  // As no server has ever listed it: whoever lists it has read the file.
  const marked = readFileSync(path, "utf8").replaceAll("mcp__one__add", "mcp__one__kept");
  writeFileSync(path, marked);
  const kept = complete.map((name) => name.replace("one__add", "one__kept")).sort();
  await using server = new Server({ home });
  await server.initialize();
  expect(await namesOf(server)).toEqual(kept);
  // The servers' own lists follow, and calls go by them alone.
  await eventually("a notice", () =>
    server.messages.some(({ method }) => method === "notifications/tools/list_changed"),
  );
  expect(await namesOf(server)).toEqual(complete);
  await server[Symbol.asyncDispose]();
  writeFileSync(path, marked);
  configure(home, { deny: ["add"] });
  expect(await firstList(home)).toEqual(complete.filter((name) => !name.endsWith("add")));
});
