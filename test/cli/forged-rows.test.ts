import { describe, expect, test } from "bun:test";

import { TempTree } from "../config/temp-tree.ts";
import { runIn } from "./fake-io.ts";

const forged = "FORGED  stdio  approved";
/** Ends of lines as terminals and people know them, each with what would stand in a line of its own. */
const bad = `x\r\n${forged}\n${forged}\r${forged}\u000b${forged}\u0085${forged}\u2028${forged}`;
const evil = `${bad}\u001b]52;c;eA==\u0007\u001b[2J\u009b31m\u202e\u200b\u{e0041}`;

const files = {
  "project/.mcp.json": JSON.stringify({
    mcpServers: {
      a: { url: `https://h/${evil}`, headers: { [evil]: evil } },
      b: { command: evil, args: [evil], cwd: evil, env: { [evil]: evil }, roots: [evil] },
      e: { url: `https://h/${evil}` },
      [evil]: { command: "c" },
      c: { command: "c", [evil]: evil },
    },
  }),
  "project/other.json": JSON.stringify({
    mcpServers: {
      [evil]: { command: "c" },
      [`${evil} 2`]: { x: 1 },
      d: { command: evil, autoApprove: [evil] },
    },
  }),
  "project/.scorpiox/policy.jsonc": JSON.stringify({
    default: { [evil]: "ask" },
    rules: [
      { tool: "Bash", match: "rm", action: "deny", reason: evil },
      { tool: evil, action: "ask", reason: evil },
      { tool: "Bash", match: evil, action: evil },
    ],
  }),
  "project/.scorpiox/scorpiox-env.txt": `STREAMING=${evil}\n${evil}=1\nSTREAMIN=${evil}\n`,
  "project/.scorpiox/skills/s/SKILL.md": `---\nname: s\ndescription: ${JSON.stringify(evil)}\n---\nx`,
  "project/.scorpiox/hooks/tool_use/sync-\nFORGED\r.sh": `echo\r${forged}`,
};

describe("nothing of a project begins a line of its own, nor acts on the terminal, in", () => {
  test.each([
    ["mcp list"],
    ["mcp get a"],
    ["mcp get b"],
    ["mcp get e"],
    ["mcp approve"],
    ["mcp status"],
    ["mcp import other.json --dry-run --scope global"],
    ["policy list"],
    ["policy check rm"],
    ["config list"],
    ["skills list"],
    ["hooks list"],
    ["hooks approve"],
    ["tools"],
  ])("%s", async (words) => {
    using tree = new TempTree(files);
    const { stdout, stderr } = await runIn(tree, words.split(" "));
    const shown = `${stdout}\n${stderr}`;
    // A line end of DOS moves to a line as one of its own does, and back to its beginning.
    const lines = shown.split("\n").filter((line) => line.trim().startsWith("FORGED"));
    // eslint-disable-next-line no-control-regex -- what must not be there
    const acting = shown.match(/[^\n\t\u0020-\u007e\u00a0-\u2027\u202f-\u{d7ff}]/gu) ?? [];
    expect({ lines, acting }).toEqual({ lines: [], acting: [] });
  });
});
