import { expect, test } from "bun:test";

import type { OpenTools } from "../../src/cli/command.ts";
import type { CommandIo } from "../../src/cli/command-io.ts";
import type { StartUp } from "../../src/cli/start-up.ts";
import { findTool } from "../../src/cli/tool-list.ts";
import { probeTool } from "./fake-io.ts";

const named = (server: string): string => `mcp__${server}__do_it`;
const servers = ["a", "b"];
const tools = servers.map((server) => ({
  name: named(server),
  server,
  tool: "do.it",
  prefix: `${server}x`,
}));
const open = {
  tools: { takesOtherNames: true, list: () => [probeTool] },
  upstreams: { snapshot: { tools } },
  upstreamTools: () =>
    Promise.resolve(
      servers.map((server) => ({ server, listing: { ...probeTool, name: named(server) } })),
    ),
} as unknown as OpenTools;
const start = {
  config: { settings: { mcp: { serverName: "us" } } },
  clients: { limitsFor: () => ({}) },
} as unknown as StartUp;
const io = { cwd: "/", interrupted: new AbortController().signal } as CommandIo;

test.each([
  ["Probe", "Probe"],
  ["mcp__a__do_it", "mcp__a__do_it"],
  ["mcp__a__do.it", "mcp__a__do_it"],
  ["mcp:bx.do.it", "mcp__b__do_it"],
  ["mcp__us__mcp:ax.do.it", "mcp__a__do_it"],
  ["do.it", undefined],
  ["mcp__c__do_it", undefined],
])("findTool(%p) finds %p", async (name, found) => {
  expect((await findTool(name, open, start, io))?.name).toBe(found);
});
