/**
 * What another server's output costs in memory, and what our own answers take meanwhile: an answer in one line of 100 MB and
 * of 1 GB, 1 GB of log messages, and 1 GB in answers that are short enough to be read.
 *
 *     bun run verify --only upstream-output
 */
import { parseArgs } from "node:util";

import { ensureBuilt, productBinary } from "../../test/e2e/harness/binary.ts";
import { eventually } from "../../test/e2e/harness/conditions.ts";
import { isError, textOf } from "../../test/e2e/harness/messages.ts";
import { residentBytes } from "../../test/e2e/harness/processes.ts";
import { Server, type ServerMessage } from "../../test/e2e/harness/server.ts";
import { upstreamHome } from "../../test/e2e/harness/upstream-home.ts";
import type { Outcome } from "./outcome.ts";
import { quantile } from "../bench/stats.ts";

const gigabyte = 1_000_000_000;
/** A log message of the scripted server has about 95 bytes. */
const logBytes = 95;
/** As many as fit a line. */
const answerChars = 14_000_000;
const requestMsMax = 300_000;
const lookMs = 20;
const settleMs = 2_000;
const pingMsMax = 50;

interface Case {
  readonly about: string;
  readonly growthMbMax: number;
  /** Resolves with the answer that is looked at. */
  readonly run: (server: Server, call: Call) => Promise<ServerMessage>;
  /** How the answer begins, or what it has in it. */
  readonly expected: RegExp;
}

type Call = (tool: string, args: object) => Promise<ServerMessage>;

const cases: readonly Case[] = [
  {
    about: "an answer of 100 MB in one line",
    growthMbMax: 64,
    run: (_, call) => call("huge_line", { bytes: gigabyte / 10 }),
    expected: /more than 16 MiB/,
  },
  {
    about: "an answer of 1 GB in one line",
    growthMbMax: 64,
    run: (_, call) => call("huge_line", { bytes: gigabyte }),
    expected: /more than 16 MiB/,
  },
  {
    about: "1 GB of log messages",
    growthMbMax: 64,
    run: (_, call) => call("flood", { kind: "logs", count: Math.round(gigabyte / logBytes) }),
    expected: /./,
  },
  {
    about: `1 GB in answers of ${answerChars / 1e6} MB`,
    // Bytes and text of one are there together, and at times what is left of the one before: the collector does not find all of it
    // at once.
    growthMbMax: 96,
    run: async (_, call) => {
      const count = Math.round(gigabyte / answerChars);
      for (let made = 1; made < count; made++) await call("big", { chars: answerChars });
      return call("big", { chars: answerChars });
    },
    expected: /x{1000}[^]*14,?000,?000/,
  },
];

export async function checkUpstreamOutput(): Promise<Outcome> {
  const faults: string[] = [];
  const figures: string[] = [];
  for (const what of cases) {
    const { growthMb, pingMs, seconds, answer } = await measure(what);
    const text = textOf(answer);
    figures.push(
      `${what.about}: memory grew by ${growthMb.toFixed(0)} MB, ping p95 ${pingMs.toFixed(1)} ms, ${seconds.toFixed(1)} s`,
    );
    console.log(`upstream-output: ${figures.at(-1)}`);
    if (growthMb > what.growthMbMax) faults.push(`${what.about}: memory grew by ${growthMb} MB`);
    if (pingMs > pingMsMax) faults.push(`${what.about}: ping p95 ${pingMs} ms`);
    if (!what.expected.test(text)) faults.push(`${what.about}: answered ${text.slice(0, 200)}`);
  }
  return {
    name: "what other servers write without end",
    passed: faults.length === 0,
    figures: figures.join("; "),
    faults,
  };
}

interface Measured {
  readonly growthMb: number;
  readonly pingMs: number;
  readonly seconds: number;
  readonly answer: ServerMessage;
}

async function measure({ run }: Case): Promise<Measured> {
  const tools = ["huge_line", "flood", "big", "echo"];
  using home = upstreamHome({ loud: [{ name: "loud", tools }] });
  await using server = new Server({ home });
  await server.initialize();
  const call: Call = (tool, args) =>
    server.request("tools/call", { name: `mcp__loud__${tool}`, arguments: args }, requestMsMax);
  const isUp = async (): Promise<boolean> => !isError(await call("echo", { text: "x" }));
  await eventually("the server", isUp, 15_000);
  await Bun.sleep(settleMs);
  const before = residentBytes(server.pid);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, residentBytes(server.pid))), lookMs);
  const pings: number[] = [];
  const at = performance.now();
  const answering = run(server, call);
  await pingUntil(
    server,
    answering.then(() => isUp()),
    pings,
  );
  // What was written behind an answer that failed early is still being read until then.
  if (!(await isUp())) throw new Error("the server does not answer any more");
  const seconds = (performance.now() - at) / 1000;
  clearInterval(watch);
  const answer = await answering;
  return { growthMb: (most - before) / 1e6, pingMs: quantile(pings, 0.95), seconds, answer };
}

async function pingUntil(server: Server, end: Promise<unknown>, pings: number[]): Promise<void> {
  const over = end.then(() => true);
  do {
    const at = performance.now();
    await server.request("ping");
    pings.push(performance.now() - at);
  } while ((await Promise.race([over, Bun.sleep(lookMs)])) !== true);
}

if (import.meta.main) {
  parseArgs({ options: {} });
  ensureBuilt(productBinary);
  const { passed, faults } = await checkUpstreamOutput();
  for (const fault of faults) console.error(`upstream-output: ${fault}`);
  process.exitCode = passed ? 0 : 1;
}
