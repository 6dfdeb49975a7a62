/**
 * What a change costs: starts, calls and memory of two executables, turn by turn, as a ratio of each turn.
 *
 *     bun scripts/bench/compare.ts [--base COMMIT | --base-binary FILE] [--binary FILE] [--turns 20] [--env KEY=VALUE …]
 *
 * Without options this checkout's executable stands beside that of the commit before (HEAD^). A ratio of 1.05 is 5 % more
 * than before; look at the quartiles before you believe it: the machine's own noise is in them. `--env SCORPIOX_SANDBOX=read-only`
 * compares commands in a sandbox.
 */
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";

import { ensureBuilt, productBinary } from "../../test/e2e/harness/binary.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { Connection } from "./client/connection.ts";
import { ownPrivateMb } from "./client/process-info.ts";
import { buildCommit, copyOf } from "./gateway-cost/base-binary.ts";
import { HttpServer } from "./http/http-server.ts";
import { markdownTable } from "../docs/markdown.ts";
import { quantile } from "./stats.ts";

/** Calls of one turn; the first ones, which load what is needed, are not counted. */
const calls = { cheap: 300, bash: 60, background: 20, ping: 300 };
const warmUp = 20;
/** Before memory is looked at: what follows the last call is done then. */
const settleMs = 300;

/** One turn of one executable. */
interface Turn {
  readonly "initialize, ms": number;
  readonly "tools/list, ms": number;
  readonly "ListBgTasks, µs": number;
  readonly "Bash `echo hi`, ms": number;
  readonly "BackgroundBash `:`, ms": number;
  readonly "ping over HTTP, µs": number;
  readonly "private memory, MB": number;
}

/** @param extra what is in the environment of both besides */
async function turnOf(binary: string, extra: Readonly<Record<string, string>>): Promise<Turn> {
  using home = new TempFolder();
  const { PATH = "/usr/bin:/bin" } = process.env;
  const env = { PATH, HOME: home.path, LANG: "C.UTF-8", USER: "user", SHELL: "/bin/sh", ...extra };
  const launch = { cwd: home.path, stderrFile: "/dev/null", env };
  using connection = new Connection({ ...launch, command: [binary] });
  const initializeMs = connection.initialize();
  connection.call("tools/list");
  const listMs = connection.lastReadAtMs - connection.spawnedAtMs;
  const timed = (name: string, args: Record<string, unknown>, count: number): number =>
    medianOf(count, () => connection.time(connection.toolRequest({ name, args })).ms);
  const cheapMs = timed("ListBgTasks", {}, calls.cheap);
  const bashMs = timed("Bash", { command: "echo hi" }, calls.bash);
  const backgroundMs = timed("BackgroundBash", { command: ":" }, calls.background);
  await Bun.sleep(settleMs);
  const privateMb = ownPrivateMb(connection.pid);
  using http = new HttpServer({ ...launch, command: [binary, "serve", "--http", "127.0.0.1:0"] });
  return {
    "initialize, ms": initializeMs,
    "tools/list, ms": listMs,
    "ListBgTasks, µs": cheapMs * 1e3,
    "Bash `echo hi`, ms": bashMs,
    "BackgroundBash `:`, ms": backgroundMs,
    "ping over HTTP, µs": (await pingMs(http.url)) * 1e3,
    "private memory, MB": privateMb,
  };
}

function medianOf(count: number, measure: () => number): number {
  const values = Array.from({ length: count + warmUp }, measure);
  return quantile(values.slice(warmUp), 0.5);
}

/** One request after the other over one connection. */
async function pingMs(url: string): Promise<number> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const request = {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "server/discover",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "server/discover",
      params: { _meta: meta },
    }),
  };
  const values: number[] = [];
  for (let count = 0; count < calls.ping + warmUp; count++) {
    const startedAt = performance.now();
    const response = await fetch(url, request);
    await response.text();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    values.push(performance.now() - startedAt);
  }
  return quantile(values.slice(warmUp), 0.5);
}

/** The first turn fills the page cache and is not counted. */
async function inTurns(
  turns: number,
  turnOfBefore: () => Promise<Turn>,
  turnOfNow: () => Promise<Turn>,
): Promise<[Turn, Turn][]> {
  const pairs: [Turn, Turn][] = [];
  for (let turn = 0; turn <= turns; turn++) {
    const isOdd = turn % 2 === 1;
    const first = await (isOdd ? turnOfNow() : turnOfBefore());
    const second = await (isOdd ? turnOfBefore() : turnOfNow());
    if (turn > 0) pairs.push(isOdd ? [second, first] : [first, second]);
  }
  return pairs;
}

function reportOf(pairs: readonly [Turn, Turn][]): string {
  const keys = Object.keys(pairs[0]?.[0] ?? {}) as (keyof Turn)[];
  const rows = keys.map((key) => {
    const ratios = pairs.map(([before, now]) => now[key] / before[key]);
    const [low, middle, high] = [0.25, 0.5, 0.75].map((p) => quantile(ratios, p).toFixed(3));
    const [before, now] = [0, 1].map((side) =>
      quantile(
        pairs.map((pair) => pair[side as 0 | 1][key]),
        0.5,
      ).toFixed(1),
    );
    return [key, `${before}`, `${now}`, `${middle} (${low} to ${high})`];
  });
  const load = loadavg().map((average) => average.toFixed(2));
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), Bun ${Bun.version}, load ${load.join(" ")}`;
  return `${markdownTable(["", "before", "now", "ratio (quartiles)"], rows)}\n\nMedians of ${pairs.length} turns. ${machine}.`;
}

const { values } = parseArgs({
  options: {
    base: { type: "string", default: "HEAD^" },
    "base-binary": { type: "string" },
    binary: { type: "string", default: productBinary },
    turns: { type: "string", default: "20" },
    env: { type: "string", multiple: true, default: [] },
  },
});
if (values.binary === productBinary) ensureBuilt(productBinary);
using folder = new TempFolder();
const before = copyOf(
  values["base-binary"] ?? buildCommit(values.base, folder.path),
  folder.path,
  "before",
);
const now = copyOf(values.binary, folder.path, "now");
const env = Object.fromEntries(values.env.map((entry) => entry.split(/=(.*)/s, 2)));
const pairs = await inTurns(
  Number(values.turns),
  () => turnOf(before, env),
  () => turnOf(now, env),
);
console.log(reportOf(pairs));
