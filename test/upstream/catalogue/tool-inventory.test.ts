import { expect, test } from "bun:test";

import {
  type InventoryTool,
  toolInventory,
  toolSummaries,
} from "../../../src/upstream/catalogue/tool-inventory.ts";
import type { ToolListing } from "../../../src/protocol/tool-types.ts";
import type { BlockedTool, ToolEntry } from "../../../src/upstream/snapshot.ts";

const entry = (server: string, tool: string, more: Partial<ToolEntry> = {}): ToolEntry => {
  return { name: `mcp__${server}__${tool}`, server, tool, ...more };
};

const definition = (name: string): ToolListing => ({
  name,
  title: name,
  description: "Reads it. Then more.",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
});

const denied: BlockedTool = {
  name: "mcp__a__rm",
  server: "a",
  tool: "rm",
  reason: "denied",
  text: "A rule denies it.",
};

function inventory(
  tools: readonly ToolEntry[],
  blocked: readonly BlockedTool[] = [],
): readonly InventoryTool[] {
  return toolInventory({
    snapshot: { tools, blocked },
    searched: tools.map(({ name }) => ({ listing: definition(name) })),
    reserved: ["Bash", "tool_search", "tool_call"],
    ownKey: "scorpiox-code",
  });
}

test("GW-44: a tool has its names, its state and what it costs; what is blocked says why, and nothing else", () => {
  const listed = { listing: definition("mcp__b__read") };
  const [blocked, first, second] = inventory(
    [entry("b", "read", listed), entry("a", "write")],
    [denied],
  );
  expect(blocked).toEqual({
    name: "mcp__a__rm",
    server: "a",
    tool: "rm",
    aliases: ["mcp:a.rm", "mcp_a_rm", "rm"],
    state: "denied",
    reason: "A rule denies it.",
    tokens: null,
    listed: false,
    summary: "",
    args: [],
  });
  expect([first?.name, first?.listed]).toEqual(["mcp__a__write", false]);
  expect(second).toMatchObject({
    name: "mcp__b__read",
    state: "approved",
    reason: null,
    listed: true,
    tokens: Math.ceil(JSON.stringify(definition("mcp__b__read")).length / 4),
  });
  expect(toolSummaries([second!])).toEqual([
    { name: "mcp__b__read", server: "b", summary: "Reads it.", args: ["path"], state: "approved" },
  ]);
});

test.each([
  ["a plain name", [entry("a", "x")], ["mcp:a.x", "mcp_a_x", "x"]],
  ["a prefix of its own", [entry("a", "x", { prefix: "p" })], ["mcp:p.x", "mcp_p_x", "x"]],
  ["a bare name that two have", [entry("a", "x"), entry("b", "x")], ["mcp:a.x", "mcp_a_x"]],
  ["a bare name that is ours", [entry("a", "Bash")], ["mcp:a.Bash", "mcp_a_Bash"]],
  [
    "a name that was cut",
    [entry("a", "x.y", { name: "mcp__a__x_y_abcdef" })],
    ["mcp__a__x.y", "mcp:a.x.y", "mcp_a_x_y", "x.y"],
  ],
  [
    "a name under another budget",
    [entry("a", "x", { earlierNames: ["mcp__a__x_old"] })],
    ["mcp:a.x", "mcp_a_x", "x", "mcp__a__x_old"],
  ],
] as const)("aliases of %s", (_what, tools, aliases) => {
  expect(inventory(tools)[0]?.aliases).toEqual(aliases);
});
