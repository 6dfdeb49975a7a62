import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { testMsMax } from "./harness/platform.ts";
import { runProduct } from "./harness/run-product.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamHome } from "./harness/upstream-home.ts";
import { upstreamLaunch } from "../fixtures/upstream/launch.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

/** The lines of what a client is told with the first answer. */
async function toldBy(server: Server): Promise<readonly string[]> {
  const { result } = await server.initialize();
  const text = String(result?.["instructions"]);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2048);
  return text.split("\n");
}

test("[gateway.told] a tool that is switched off is not mentioned", async () => {
  await using server = new Server({ env: { TOOL_WEBSEARCH: "0", TOOL_BACKGROUNDBASH: "0" } });
  const text = (await toldBy(server)).join("\n");
  expect(text).toContain("ReadDocs");
  expect(text).not.toMatch(/WebSearch|searches the web|BackgroundBash/);
});

test("[gateway.told] servers of a project that wait for approval are named at the first start", async () => {
  using home = new TempFolder();
  home.folder("project/.git");
  const startsFile = home.at("starts");
  const mcpServers = { own: upstreamLaunch({ tools: ["echo"], startsFile }) };
  home.write("project/.mcp.json", JSON.stringify({ mcpServers }));
  const line = "Started only once the user has approved them (scorpiox-code mcp approve own): own.";
  {
    await using server = new Server({ home, cwd: home.at("project") });
    expect(await toldBy(server)).toContain(line);
  }
  expect(existsSync(startsFile)).toBe(false);
  const approved = await runProduct(home, ["mcp", "approve", "own", "--yes"], {
    cwd: home.at("project"),
  });
  expect(approved.exitCode).toBe(0);
  {
    await using server = new Server({ home, cwd: home.at("project") });
    await server.initialize();
    await server.call("tool_search", { query: "echo" });
  }
  await using server = new Server({ home, cwd: home.at("project") });
  const told = await toldBy(server);
  expect(told).not.toContain(line);
  expect(told).toContain('own: tools "echo"');
});

test("[gateway.told] the second start says what each hidden server is for, and where the list is", async () => {
  using home = upstreamHome({
    big: [{ tools: 30, instructions: "Keeps the books of the firm." }],
    small: [{ tools: ["echo", "add"] }],
  });
  home.folder("project/.git");
  const start = (): Server => new Server({ home, cwd: home.at("project") });
  {
    await using server = start();
    expect((await toldBy(server)).join("\n")).toContain("tool_search finds them");
    await eventually("both servers are known", async () => {
      const found = JSON.stringify(await server.call("tool_search", { query: "xyzzy" }));
      return ["big", "small", "mcp-index.md"].every((word) => found.includes(word));
    });
  }
  await using server = start();
  const told = await toldBy(server);
  expect(told).toContain('big: "Keeps the books of the firm."');
  expect(told).toContain('small: tools "echo, add"');
  expect(told).toContain(
    `All their tools, one in a line: ${home.at("project/.scorpiox/context/tools/mcp-index.md")}`,
  );
  // A change of the entries is noticed before any of it is loaded.
  home.write(".scorpiox/config.toml", '[mcp.servers.other]\ncommand = "true"\n');
  await using changed = start();
  expect((await toldBy(changed)).join("\n")).not.toContain("books");
});
