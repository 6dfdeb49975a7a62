import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { eventually } from "./harness/conditions.ts";
import { HttpServer } from "./harness/http-server.ts";
import { contentOf, isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamLaunch } from "../fixtures/upstream/launch.ts";

setDefaultTimeout(testMsMax);

function configure(
  home: TempFolder,
  scripts: Readonly<Record<string, object>>,
  keys: object = {},
): void {
  const entries = Object.entries(scripts).map(([name, script]) => {
    return [name, { ...upstreamLaunch(script), ...keys }];
  });
  home.write(
    ".scorpiox/mcp_servers.json",
    JSON.stringify({ mcpServers: Object.fromEntries(entries) }),
  );
}

async function startWith(home: TempFolder, tool: string): Promise<Server> {
  const server = new Server({ home });
  await server.initialize();
  await eventually("the other server", () => answers(server, tool), 15_000);
  return server;
}

async function answers(server: Server, tool: string): Promise<boolean> {
  const reply = await server.call(tool, {});
  return reply.error === undefined && !isError(reply);
}

test("[gateway.gw-10] a server that dies, hangs or answers nonsense fails that call only", async () => {
  using home = new TempFolder();
  const tools = ["exit", "hang", "reply", "echo"];
  configure(home, { bad: { tools }, good: { tools: ["echo"] } }, { timeout_ms: 1_000 });
  await using server = await startWith(home, "mcp__bad__echo");
  const message = { result: { content: "text" } };
  const texts: string[] = [];
  for (const [tool, args] of [
    ["reply", { message }],
    ["hang", {}],
    ["exit", { code: 1 }],
  ] as const) {
    const reply = await server.call(`mcp__bad__${tool}`, args);
    expect(isError(reply)).toBe(true);
    texts.push(textOf(reply));
    expect(textOf(await server.call("mcp__good__echo", { text: "well" }))).toBe("well");
  }
  expect(texts[0]).toStartWith("The server bad answered the call of reply with an invalid result");
  expect(texts[1]).toStartWith("The server bad did not answer hang within");
  expect(texts[2]).toStartWith("The connection to the server bad was lost during exit");
  await eventually("the next call", () => answers(server, "mcp__bad__echo"), 10_000);
});

test("[gateway.gw-11] servers come and go while we run, and the others keep their process", async () => {
  using home = new TempFolder();
  const stays = { tools: ["pid", "echo"], name: "stays" };
  configure(home, { stays, goes: { tools: ["echo"] } });
  await using server = await startWith(home, "mcp__stays__echo");
  const pid = textOf(await server.call("mcp__stays__pid"));
  configure(home, { stays, comes: { tools: ["echo"], name: "comes" } });
  await eventually("the new server", () => answers(server, "mcp__comes__echo"), 10_000);
  expect((await server.call("mcp__goes__echo")).error).toMatchObject({ code: -32602 });
  expect(textOf(await server.call("mcp__stays__pid"))).toBe(pid);
});

test("[gateway.gw-14] ten HTTP sessions share one process of a server, or have ten", async () => {
  using home = new TempFolder();
  const script = { tools: ["pid"] };
  const own = { script, isolation: "session" };
  const entries = Object.entries({ shared: { script }, own }).map(([name, { script, ...keys }]) => {
    return [name, { ...upstreamLaunch({ ...script, name }), ...keys }];
  });
  const servers = Object.fromEntries(entries);
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers: servers }));
  await using server = await HttpServer.start({ home });
  const sessions = await Promise.all(Array.from({ length: 10 }, () => server.initialize()));
  const [first] = sessions;
  await eventually("both servers", async () => {
    const listed = await first?.request("tools/list");
    return JSON.stringify(listed?.result).split("__pid").length > 2;
  });
  const pidsOf = async (name: string): Promise<number> => {
    const calls = [...sessions, ...sessions].map((session) => session.call(`mcp__${name}__pid`));
    return new Set((await Promise.all(calls)).map(textOf)).size;
  };
  expect([await pidsOf("shared"), await pidsOf("own")]).toEqual([1, 10]);
});

test("[gateway.gw-30] a long result is cut, and its whole is read as a resource", async () => {
  using home = new TempFolder();
  configure(home, { one: { tools: ["big", "echo"] } });
  await using server = await startWith(home, "mcp__one__echo");
  const reply = await server.call("mcp__one__big", { chars: 200_000 });
  const text = textOf(reply);
  expect(text.length).toBeLessThanOrEqual(30_000);
  expect(text).toContain("of 200,000 characters are left out here.");
  const uri = contentOf(reply).find(({ type }) => type === "resource_link")?.uri ?? "";
  const read = await server.request("resources/read", { uri });
  const contents = read.result?.["contents"] as readonly { readonly text: string }[];
  expect(contents[0]?.text).toHaveLength(200_000);
});

test("[gateway.gw-44] the file of a running server names what is behind it", async () => {
  using home = new TempFolder();
  configure(home, { one: { tools: ["echo"] } });
  await using server = await startWith(home, "mcp__one__echo");
  const path = join(home.path, ".scorpiox", "run", `mcp-${server.pid}.json`);
  await eventually("the file", () => Promise.resolve(statusText(path).includes('"ready"')), 10_000);
  expect(JSON.parse(statusText(path))).toMatchObject({
    pid: server.pid,
    servers: [{ name: "one", state: "ready", tools: 1 }],
  });
  server.endInput();
  await server.exited;
  expect(statusText(path)).toBe("");
});

function statusText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
