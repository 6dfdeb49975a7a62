/**
 * Ten clients that start at once with nothing cached: what their first lists have, and how many processes that took. With five
 * servers written for tests, then with four real ones of Node.
 *
 *     bun scripts/verify/first-lists.ts [--runs 20]
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { root } from "../../test/e2e/harness/binary.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import type { Outcome } from "./outcome.ts";
import { runAlone } from "./run-alone.ts";
import { median } from "./upstream-figures.ts";

const clientCount = 10;
const listGapMs = 3_000;
const fixture = join(root, "test/fixtures/upstream/main.ts");

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

type Launches = Readonly<Record<string, Launch>>;

/** Some start at once, some take their time. */
function written(startsFile: string): Launches {
  const delays = [0, 0, 100, 300, 600];
  const launches = delays.map((startDelayMs, at): [string, Launch] => {
    const name = `own${at + 1}`;
    const script = { name, tools: ["echo", "add", "pid"], startDelayMs, startsFile };
    return [name, { command: process.execPath, args: [fixture, JSON.stringify(script)] }];
  });
  return Object.fromEntries(launches);
}

function real(_startsFile: string, home: TempFolder): Launches {
  const entry = (name: string, args: readonly string[] = []): Launch => {
    const program = import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
    return { command: "node", args: [fileURLToPath(program), ...args] };
  };
  return {
    memory: { ...entry("memory"), env: { MEMORY_FILE_PATH: home.at("memory.json") } },
    everything: entry("everything", ["stdio"]),
    filesystem: entry("filesystem", [home.folder("data")]),
    thinking: entry("sequential-thinking"),
  };
}

/** What one client saw. */
interface Seen {
  readonly first: readonly string[];
  readonly second: readonly string[];
  readonly firstMs: number;
}

interface Run {
  readonly clients: readonly Seen[];
  readonly complete: readonly string[];
  readonly starts: number;
}

async function runOnce(launchesIn: typeof written | typeof real): Promise<Run> {
  using home = new TempFolder();
  const startsFile = home.at("starts");
  home.write("starts", "");
  const mcpServers = launchesIn(startsFile, home);
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers }));
  const clients = await Promise.all(Array.from({ length: clientCount }, () => listTwice(home)));
  const complete = await listOnce(home);
  const starts = (await Bun.file(startsFile).text()).split("\n").length - 1;
  return { clients, complete, starts };
}

async function listTwice(home: TempFolder): Promise<Seen> {
  await using server = new Server({ home });
  await server.initialize("2025-11-25", "claude-code");
  const at = performance.now();
  const first = await toolsOf(server);
  const firstMs = performance.now() - at;
  await Bun.sleep(listGapMs);
  return { first, firstMs, second: await toolsOf(server) };
}

/** What there is once everything is kept. */
async function listOnce(home: TempFolder): Promise<readonly string[]> {
  await using server = new Server({ home });
  await server.initialize("2025-11-25", "claude-code");
  return await toolsOf(server);
}

/** The clients are named as one that hides tools by itself, so that all are listed. */
async function toolsOf(server: Server): Promise<readonly string[]> {
  const { result } = await server.request("tools/list", {}, 60_000);
  const tools = result?.["tools"] as readonly { readonly name: string }[];
  const names = tools.map(({ name }) => name).filter((name) => name.startsWith("mcp__"));
  return names.toSorted();
}

interface Part {
  readonly figure: string;
  readonly faults: readonly string[];
}

async function check(
  title: string,
  runs: number,
  launches: typeof written | typeof real,
  mustBeFirst: boolean,
): Promise<Part> {
  const faults: string[] = [];
  const times: number[] = [];
  const starts: number[] = [];
  let [first, second, all] = [0, 0, 0];
  for (let run = 1; run <= runs; run++) {
    const { clients, complete, starts: count } = await runOnce(launches);
    if (complete.length === 0) faults.push(`${title}: run ${run} has no tool at all`);
    const isWhole = (names: readonly string[]): boolean => names.join() === complete.join();
    const firsts = clients.filter((seen) => isWhole(seen.first)).length;
    const seconds = clients.filter((seen) => isWhole(seen.second)).length;
    if (mustBeFirst && firsts < clientCount) {
      const counts = clients.map((seen) => seen.first.length).join(", ");
      faults.push(`${title}: run ${run}: first lists of ${counts} tools, of ${complete.length}`);
    }
    if (seconds < clientCount) faults.push(`${title}: run ${run}: ${seconds} second lists whole`);
    [first, second, all] = [first + firsts, second + seconds, all + clientCount];
    times.push(...clients.map(({ firstMs }) => Math.round(firstMs)));
    starts.push(count);
    console.log(`first-lists: ${title}: ${run} of ${runs}`);
  }
  const processes = mustBeFirst ? `, at most ${Math.max(...starts)} processes started` : "";
  return {
    figure: `${title}: ${first} of ${all} first lists whole, ${second} second ones; median ${median(times)} ms, slowest ${Math.max(...times)} ms${processes}`,
    faults,
  };
}

export async function checkFirstLists(runs: number): Promise<Outcome> {
  const own = await check("five servers of the tests", runs, written, true);
  const node = await check("four of Node", runs, real, false);
  const faults = [...own.faults, ...node.faults];
  return {
    name: "ten clients at once",
    passed: faults.length === 0 && runs > 0,
    figures: `${runs} runs with nothing cached. ${own.figure}. ${node.figure}`,
    faults,
  };
}

if (import.meta.main) await runAlone(checkFirstLists, "runs", 20);
