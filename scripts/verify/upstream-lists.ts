/**
 * Measures how long the first list waits for other servers, and how much memory an answer without end costs.
 *
 *     bun run verify --only neighbours
 */
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import { eventually } from "../../test/e2e/harness/conditions.ts";
import { isError, textOf } from "../../test/e2e/harness/messages.ts";
import { residentBytes } from "../../test/e2e/harness/processes.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import type { Outcome } from "./outcome.ts";

const serversCount = 20;
const coldMsMax = 1_500;
const warmMsMax = 200;
const outputBytes = 1_000_000_000;
const growthBytesMax = 64_000_000;

/** Twenty servers that take a second to start and one that never answers; then one that answers with a gigabyte. */
export async function checkUpstreamLists(runs: number): Promise<Outcome> {
  const cold: number[] = [];
  const warm: number[] = [];
  const faults: string[] = [];
  for (let run = 1; run <= runs; run++) {
    using home = new TempFolder();
    home.write(".scorpiox/mcp_servers.json", slowServers());
    cold.push(await firstList(home, true));
    warm.push(await firstList(home, false));
  }
  const growthBytes = await growthOfGigabyte();
  const [coldMs, warmMs] = [median(cold), median(warm)];
  if (coldMs > coldMsMax) faults.push(`the first list took ${coldMs} ms without a cache`);
  if (warmMs > warmMsMax) faults.push(`the first list took ${warmMs} ms with one`);
  if (growthBytes > growthBytesMax) faults.push(`memory grew by ${growthBytes} bytes`);
  return {
    name: "lists beside slow and endless servers",
    passed: faults.length === 0 && runs > 0,
    figures: `first list beside ${serversCount} servers that take 1 s and a mute one: ${coldMs} ms, with a cache ${warmMs} ms (medians of ${runs}); an answer of 1 GB: memory grew by ${Math.round(growthBytes / 1e6)} MB`,
    faults,
  };
}

function slowServers(): string {
  const slow = Array.from({ length: serversCount }, (_, index) => {
    return [`slow${index}`, { name: `slow ${index}`, tools: 20, startDelayMs: 1_000 }] as const;
  });
  const servers = [...slow, ["mute", { mute: true }] as const];
  return configOf(Object.fromEntries(servers));
}

function configOf(scripts: Readonly<Record<string, object>>): string {
  const entries = Object.entries(scripts).map(([name, script]) => {
    const args = [join(root, "test/fixtures/upstream/main.ts"), JSON.stringify(script)];
    return [name, { command: process.execPath, args }];
  });
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

/** Milliseconds from the first `tools/list` to its answer. */
async function firstList(home: TempFolder, isCold: boolean): Promise<number> {
  await using server = new Server({ home });
  await server.initialize();
  const at = performance.now();
  await server.request("tools/list");
  const ms = Math.round(performance.now() - at);
  const hasAll = async (): Promise<boolean> => {
    const found = await server.call("tool_search", { query: "select:none_such" });
    return textOf(found).includes(`slow${serversCount - 1}`);
  };
  // What they offer is kept for the next start.
  if (isCold) await eventually("all servers", hasAll, 30_000);
  if (isCold) await Bun.sleep(500);
  return ms;
}

async function growthOfGigabyte(): Promise<number> {
  using home = new TempFolder();
  home.write(".scorpiox/mcp_servers.json", configOf({ huge: { tools: ["huge_line", "echo"] } }));
  await using server = new Server({ home });
  await server.initialize();
  const isUp = async (): Promise<boolean> =>
    !isError(await server.call("mcp__huge__echo", { text: "x" }));
  await eventually("the server", isUp, 15_000);
  const before = residentBytes(server.pid);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, residentBytes(server.pid));
  }, 20);
  await server.request(
    "tools/call",
    { name: "mcp__huge__huge_line", arguments: { bytes: outputBytes } },
    300_000,
  );
  clearInterval(watch);
  if (!(await isUp())) throw new Error("the server does not answer after its gigabyte");
  return most - before;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
