/**
 * A client that floods, in a process of its own so that the one that measures is never late itself:
 *
 *     flooding-client.ts '{"binary","cwd","env","tool","args","perSecond","burst","inFlight","isDeaf","isStopped"}'
 *
 * Prints `ready` with its process id, floods from the first line of its input on, and prints what it did when its input ends.
 */
import type { FloodOptions, FloodFigures } from "./flooder.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as FloodOptions;
const child = Bun.spawn([options.binary], {
  cwd: options.cwd,
  env: options.env,
  stdio: ["pipe", "pipe", "ignore"],
});

/** Its calls are at the hub by then. */
const stopMs = 200;

/** Beginnings of replies tell whose they are; no reply is parsed. */
const idOf = /"id":(\d+)/;
const counts = { calls: 0, replies: 0, failed: 0, bytes: 0 };
const waiters = new Map<number, () => void>();
let lastId = 0;

function send(message: object): void {
  void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  void child.stdin.flush();
}

function request(method: string, params: object): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  lastId += 1;
  waiters.set(lastId, resolve);
  send({ id: lastId, method, params });
  return promise;
}

function take(line: string): void {
  const id = Number(idOf.exec(line.slice(0, 200))?.[1] ?? idOf.exec(line.slice(-200))?.[1]);
  const waiter = waiters.get(id);
  waiters.delete(id);
  if (waiter === undefined) return;
  counts.replies += 1;
  counts.bytes += line.length;
  if (/"isError":true|"error":\{/.test(line.length > 1_000 ? line.slice(-200) : line)) {
    counts.failed += 1;
    failure ??= line.slice(0, 300);
  }
  waiter();
}

let failure: string | undefined;
const reading = { isOver: false };

async function readAll(): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of child.stdout) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) take(part);
    // What comes from now on stays in the pipe.
    if (reading.isOver) return await new Promise(() => {});
  }
}

async function call(): Promise<void> {
  counts.calls += 1;
  await request("tools/call", { name: options.tool, arguments: options.args });
}

/** As many in flight as there may be, and no more in a second than wanted. */
async function flood(isOver: () => boolean): Promise<void> {
  let [inFlight, begun] = [0, 0];
  const at = performance.now();
  while (!isOver()) {
    const due = ((performance.now() - at) / 1_000) * options.perSecond + options.burst;
    while (inFlight < options.inFlight && begun < due && !isOver()) {
      inFlight += 1;
      begun += 1;
      void call().then(() => (inFlight -= 1));
    }
    await Bun.sleep(5);
  }
}

void readAll();
await request("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "claude-code", version: "1" },
});
send({ method: "notifications/initialized" });
await request("tools/list", {});
await call();
Object.assign(counts, { calls: 0, replies: 0, failed: 0, bytes: 0 });
console.log(`ready ${child.pid}`);

let isOver = false;
let startedAt = 0;
for await (const chunk of process.stdin) {
  if (startedAt > 0 || chunk.length === 0) continue;
  startedAt = performance.now();
  reading.isOver = options.isDeaf === true;
  void flood(() => isOver);
  if (options.isStopped === true) setTimeout(() => child.kill("SIGSTOP"), stopMs);
}
isOver = true;
const figures: FloodFigures = { ...counts, ms: performance.now() - startedAt, failure };
console.log(JSON.stringify(figures));
child.kill("SIGKILL");
await child.exited;
process.exit(0);
