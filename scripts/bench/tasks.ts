/**
 * What a call of TaskManager takes, beside a bare SQLite insert with FULL sync on the same disk in the same run.
 *
 *     bun scripts/bench/tasks.ts [--write]
 *
 * With --write the table in docs/tasks.md is replaced.
 */
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { ensureBuilt, productBinary, root } from "../../test/e2e/harness/binary.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { pageTable } from "../docs/markdown.ts";
import { quantile } from "./stats.ts";

const calls = 200;
const processes = 4;
const manyTasks = 10_000;

interface Row {
  readonly name: string;
  readonly times: readonly number[];
  /** What the same would cost without us. */
  readonly floor?: readonly number[];
}

type Arguments = Readonly<Record<string, unknown>>;

async function measure(): Promise<Row[]> {
  using home = new TempFolder();
  using bare = new TempFolder();
  const floorOf = (count: number): Promise<number[]> => runFloor(bare, count);
  // The floor before and after: a disk is not equally quick all the time.
  const before = await floorOf(1);
  const alone = await timesOf(home, 1, addTask);
  const floor = [...before, ...(await floorOf(1))];
  const floorTogether = await floorOf(processes);
  const together = await timesOf(home, processes, addTask);
  fill(home);
  const crowded = await timesOf(home, 1, addTask);
  const listed = await timesOf(home, 1, () => ({ action: "list", query: "" }));
  const found = await timesOf(home, 1, (place) => ({ action: "list", query: `number ${place}7` }));
  const many = manyTasks.toLocaleString("en-US");
  return [
    { name: "a change, one server", times: alone, floor },
    { name: `a change, ${processes} servers at once`, times: together, floor: floorTogether },
    { name: `a change, with ${many} tasks`, times: crowded, floor },
    { name: `\`list\` of ${many} tasks`, times: listed },
    { name: `\`list\` with words, ${many} tasks`, times: found },
  ];
}

const addTask = (place: number): Arguments => {
  return { action: "create", query: "", text: `a task of the length of a line, number ${place}` };
};

/** Milliseconds of calls, one after the other in each of `count` servers. */
async function timesOf(
  home: TempFolder,
  count: number,
  argumentsOf: (place: number) => Arguments,
): Promise<number[]> {
  const servers = Array.from({ length: count }, () => new Server({ home }));
  for (const server of servers) {
    await server.initialize();
    await server.call("TaskManager", { action: "pending", query: "warm" });
  }
  const times = await Promise.all(servers.map((server) => timesIn(server, argumentsOf)));
  for (const server of servers) await server[Symbol.asyncDispose]();
  return times.flat();
}

async function timesIn(
  server: Server,
  argumentsOf: (place: number) => Arguments,
): Promise<number[]> {
  // `server.reply` looks through all that has come so far, which would be measured too.
  let settle: () => void = () => {};
  server.onMessage(() => settle());
  const times: number[] = [];
  for (let place = 0; place < calls; place += 1) {
    const { promise, resolve } = Promise.withResolvers<void>();
    settle = resolve;
    const started = performance.now();
    server.start("tools/call", { name: "TaskManager", arguments: argumentsOf(place) });
    await promise;
    times.push(performance.now() - started);
  }
  return times;
}

async function runFloor(folder: TempFolder, count: number): Promise<number[]> {
  const script = join(import.meta.dir, "floors/sqlite-insert.ts");
  const command = [process.execPath, script, folder.at("bare.db"), String(calls)];
  const runs = Array.from({ length: count }, async () => {
    const child = Bun.spawn(command, { stdio: ["ignore", "pipe", "inherit"] });
    return (await new Response(child.stdout).json()) as number[];
  });
  return (await Promise.all(runs)).flat();
}

function fill(home: TempFolder): void {
  const tasks = Array.from({ length: manyTasks }, (_, place) => {
    return { text: `a task to be found, number ${place}`, isDone: place % 2 === 0 };
  });
  const file = home.write("tasks.json", JSON.stringify({ tasks }));
  const env = { PATH: process.env["PATH"] ?? "", HOME: home.path };
  Bun.spawnSync([productBinary, "tasks", "import", file], { cwd: home.path, env });
}

function reportOf(rows: readonly Row[]): string {
  const cells = rows.map(({ name, times, floor }) => {
    const own = [quantile(times, 0.5), quantile(times, 0.99), meanOf(times)].map(milliseconds);
    if (floor === undefined) return [name, ...own, "", ""];
    const ratio = meanOf(times) / meanOf(floor);
    return [name, ...own, milliseconds(meanOf(floor)), `${ratio.toFixed(1)} ×`];
  });
  const headings = ["", "p50", "p99", "mean", "bare insert, mean", "ratio of the means"];
  return `${pageTable(headings, cells)}\n\n${machineText()}`;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function machineText(): string {
  const [cpu] = cpus();
  const load = loadavg().map((average) => average.toFixed(2));
  const machine = `${cpus().length} cores (${cpu?.model.trim()}, ${process.arch}), Bun ${Bun.version}`;
  return `${machine}; load ${load.join(" ")}; ${new Date().toISOString().slice(0, 10)}.`;
}

function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}

/** @throws Error when the page has lost its markers */
async function write(report: string): Promise<void> {
  const page = join(root, "docs/tasks.md");
  const [begin, end] = ["<!-- task-times:begin -->", "<!-- task-times:end -->"];
  const text = await Bun.file(page).text();
  const [head, rest] = text.split(begin);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined) throw new Error(`${page} has no ${begin} … ${end}`);
  await Bun.write(page, `${head}${begin}\n\n${report}\n\n${end}${tail}`);
  Bun.spawnSync([process.execPath, "fmt", "--no-script", page], { cwd: root });
}

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
ensureBuilt(productBinary);
const report = reportOf(await measure());
console.log(report);
if (values.write) await write(report);
