import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { upstreamHome } from "./harness/upstream-home.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

interface Reply {
  readonly matches: readonly { readonly name: string }[];
  readonly unavailable: readonly { readonly server: string; readonly reason: string }[];
  readonly servers?: readonly { readonly server: string; readonly tools: number }[];
  readonly nearest?: readonly string[];
  readonly index_file?: string;
}

function found({ result }: ServerMessage): Reply {
  expect(result?.["isError"]).toBe(false);
  return result?.["structuredContent"] as Reply;
}

function listed({ result }: ServerMessage): readonly { readonly name: string }[] {
  return result?.["tools"] as readonly { readonly name: string }[];
}

const cost = (tools: readonly object[]): number =>
  tools.reduce((sum, tool) => sum + Math.ceil(JSON.stringify(tool).length / 4), 0);

test("[gateway.gw-21] five hundred hidden tools cost 1,500 estimated tokens at most", async () => {
  using home = upstreamHome({ big: [{ tools: 500 }] });
  let alone: number;
  {
    await using server = new Server({ home, env: { MCP: "0" } });
    await server.initialize();
    alone = cost(listed(await server.request("tools/list")));
  }
  await using server = new Server({ home });
  await server.initialize();
  const search = found(await server.call("tool_search", { query: "server:big", limit: 25 }));
  expect(search.matches).toHaveLength(25);
  const tools = listed(await server.request("tools/list"));
  expect(tools.slice(-2).map(({ name }) => name)).toEqual(["tool_search", "tool_call"]);
  expect(cost(tools) - alone).toBeLessThanOrEqual(1500);
});

test("[gateway.gw-19] a search shows who cannot be asked, and without a match what there is", async () => {
  using home = upstreamHome({ dead: [{ exitAtStart: 3 }], own: [{ tools: ["echo", "add"] }] });
  await using server = new Server({ home });
  await server.initialize();
  const empty = await eventually("the dead server to be known as such", async () => {
    const reply = found(await server.call("tool_search", { query: "xyzzy" }));
    return reply.unavailable.length === 1 && reply.matches.length === 0 ? reply : undefined;
  });
  expect(empty.unavailable[0]).toMatchObject({ server: "dead" });
  expect(empty.servers).toMatchObject([
    { server: "dead", tools: 0 },
    { server: "own", tools: 2 },
  ]);
  expect([...(empty.nearest ?? [])].sort()).toEqual(["mcp__own__add", "mcp__own__echo"]);
  const sum = found(await server.call("tool_search", { query: "sum up numbers" }));
  expect(sum.matches[0]).toMatchObject({ name: "mcp__own__add" });
});

test("[gateway.gw-20] the file of tools has a line for each, and is gone when nothing is hidden", async () => {
  using home = upstreamHome({ big: [{ tools: 30 }] });
  const cwd = home.folder("project");
  home.folder("project/.git");
  const index = join(cwd, ".scorpiox/context/tools/mcp-index.md");
  {
    await using server = new Server({ home, cwd });
    await server.initialize();
    const lines = await eventually("the index", () => {
      const text = existsSync(index) ? readFileSync(index, "utf8") : "";
      const all = text.split("\n").filter((line) => line.startsWith("- mcp__big__"));
      return all.length === 30 ? all : undefined;
    });
    expect(new Set(lines).size).toBe(30);
    await eventually("searches to name it", async () => {
      const { index_file: named } = found(await server.call("tool_search", { query: "tool" }));
      return named === index;
    });
  }
  await using server = new Server({ home, cwd, args: ["--defer", "off"] });
  await server.initialize();
  await eventually("the index to be gone", () => (existsSync(index) ? undefined : true));
});
