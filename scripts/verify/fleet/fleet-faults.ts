/** A PostgreSQL that is in trouble, seen through servers: each fault is named with what to do, and ends without a restart. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isError, textOf } from "../../../test/e2e/harness/messages.ts";
import { HttpServer } from "../../../test/e2e/harness/http-server.ts";
import { runProduct } from "../../../test/e2e/harness/run-product.ts";
import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import { Server } from "../../../test/e2e/harness/server.ts";
import { Postgres } from "../../../test/support/engines/postgres.ts";
import { TcpProxy } from "../../../test/support/engines/tcp-proxy.ts";
import type { Outcome } from "../outcome.ts";

interface Trial {
  readonly name: string;
  /** The answer while the fault lasts. */
  readonly said: string;
  readonly faults: readonly string[];
}

export async function checkFleetFaults(): Promise<Outcome> {
  const trials = [
    await partition(),
    await slow(),
    await standby(),
    await crowded(),
    await full(),
    await revocation(),
    await failover(),
  ];
  const faults = trials.flatMap((trial) => trial.faults.map((fault) => `${trial.name}: ${fault}`));
  return {
    name: "fleet-faults",
    passed: faults.length === 0,
    figures: trials.map(({ name }) => name).join(", "),
    faults,
    details: trials.map((trial) => [
      trial.name,
      trial.faults.length === 0 ? "pass" : "FAIL",
      trial.said,
    ]),
  };
}

async function startAt(url: string): Promise<Server> {
  const server = new Server({ args: ["--workspace", "fleet"], env: { STORE_URL: url } });
  await server.initialize();
  return server;
}

/** The text of an error, or "done". */
async function create(server: Server, text: string): Promise<string> {
  const reply = await server.call("TaskManager", { action: "create", query: "", text });
  return isError(reply) ? textOf(reply) : "done";
}

async function bash(server: Server): Promise<string> {
  const reply = await server.call("Bash", { command: "echo works" });
  return isError(reply) ? textOf(reply) : "done";
}

function expectation(said: string, wanted: RegExp | string, what: string): string[] {
  const isMet = typeof wanted === "string" ? said === wanted : wanted.test(said);
  return isMet ? [] : [`${what}: ${said}`];
}

/** One of two replicas is cut off: it says so, its own tools go on, the other one notices nothing; then it is back. */
async function partition(): Promise<Trial> {
  await using postgres = await Postgres.start();
  using proxy = new TcpProxy(postgres.port);
  await using cutOff = await startAt(postgres.urlWith({ port: proxy.port }));
  await using other = await startAt(postgres.url);
  const faults = expectation(await create(cutOff, "a"), "done", "before");
  proxy.isCut = true;
  const said = await create(cutOff, "b");
  faults.push(
    ...expectation(said, /^PostgreSQL at .*did not answer|no connection was made/s, "cut off"),
  );
  faults.push(...expectation(await bash(cutOff), "done", "a command while cut off"));
  faults.push(...expectation(await create(other, "c"), "done", "the other replica"));
  proxy.isCut = false;
  faults.push(...(await untilDone(cutOff, 5_000)));
  return { name: "a replica cut off", said, faults };
}

/** Half a second away, there and back. */
async function slow(): Promise<Trial> {
  await using postgres = await Postgres.start();
  using proxy = new TcpProxy(postgres.port);
  await using server = await startAt(postgres.urlWith({ port: proxy.port }));
  await create(server, "a");
  proxy.delayMs = 250;
  const said = await create(server, "b");
  return { name: "an engine 500 ms away", said, faults: expectation(said, "done", "slow") };
}

/** It is only read now, as a standby, or a primary that gave way. */
async function standby(): Promise<Trial> {
  await using postgres = await Postgres.start();
  await using server = await startAt(postgres.url);
  const faults = expectation(await create(server, "a"), "done", "before");
  await setReadOnly(postgres, "on");
  const said = await create(server, "b");
  faults.push(...expectation(said, /read-only.*It is a standby: name the primary/s, "read-only"));
  await setReadOnly(postgres, "off");
  faults.push(...(await untilDone(server, 2_000)));
  return { name: "an engine that is only read", said, faults };
}

async function setReadOnly(postgres: Postgres, value: "on" | "off"): Promise<void> {
  const sql = postgres.client();
  await sql.unsafe(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
  await sql`SELECT pg_reload_conf()`;
  await sql.close();
  await Bun.sleep(200);
}

/** The primary is killed while it is written to, its synchronous standby takes its place under the same address. */
async function failover(): Promise<Trial> {
  await using primary = await Postgres.start();
  await using standby = await primary.standby();
  const sql = primary.client();
  await sql.unsafe("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await sql`SELECT pg_reload_conf()`;
  await sql.close();
  using proxy = new TcpProxy(primary.port);
  await using server = await startAt(primary.urlWith({ port: proxy.port }));
  const acknowledged: string[] = [];
  const over = new AbortController();
  const write = async (writer: number): Promise<void> => {
    for (let place = 0; !over.signal.aborted; place += 1) {
      const text = `${writer} ${place}`;
      if ((await create(server, text)) === "done") acknowledged.push(text);
    }
  };
  const writing = Promise.all([1, 2, 3, 4].map(write));
  while (acknowledged.length < 100) await Bun.sleep(5);
  await primary.kill();
  proxy.targetPort = standby.port;
  proxy.breakAll();
  await standby.promote();
  const before = acknowledged.length;
  while (acknowledged.length < before + 100) await Bun.sleep(5);
  over.abort();
  await writing;
  const kept = await textsIn(standby);
  const lost = acknowledged.filter((text) => !kept.includes(text));
  const faults = [
    ...(lost.length === 0 ? [] : [`${lost.length} acknowledged changes are lost`]),
    ...(new Set(kept).size === kept.length ? [] : ["a change is there twice"]),
  ];
  return { name: "a failover to a synchronous standby", said: `${kept.length} changes`, faults };
}

async function textsIn(postgres: Postgres): Promise<string[]> {
  const sql = postgres.client();
  const rows: { text: string }[] = await sql`SELECT text FROM scorpiox.tasks`;
  await sql.close();
  return rows.map(({ text }) => text);
}

const revocationMsMax = 2_000;

/** A token is revoked on the command line: from then on until every replica refuses it. */
async function revocation(): Promise<Trial> {
  await using postgres = await Postgres.start();
  using home = new TempFolder();
  const env = { STORE_URL: postgres.url };
  const { stdout } = await runProduct(home, ["token", "add", "ada", "--json"], { env });
  const { token } = JSON.parse(stdout) as { token: string };
  const servers = await Promise.all([1, 2, 3].map(() => HttpServer.start({ env })));
  const clients = servers.map(({ client }) => client.withToken(token));
  const statuses = async (): Promise<string> => {
    const answers = clients.map(async (client) => (await client.modern("tools/list")).status);
    return (await Promise.all(answers)).join();
  };
  const faults = expectation(await statuses(), "200,200,200", "before");
  await runProduct(home, ["token", "revoke", "ada"], { env });
  const began = performance.now();
  while ((await statuses()) !== "401,401,401" && performance.now() < began + 10_000)
    await Bun.sleep(5);
  const ms = performance.now() - began;
  if (ms > revocationMsMax) faults.push(`the revocation took ${Math.round(ms)} ms`);
  for (const server of servers) await server[Symbol.asyncDispose]();
  return { name: `a token revoked at 3 replicas (${Math.round(ms)} ms)`, said: "401", faults };
}

/** All connections are taken. */
async function crowded(): Promise<Trial> {
  await using postgres = await Postgres.start({ settings: { max_connections: "8" } });
  const others = Array.from({ length: 8 }, () => postgres.client());
  await Promise.allSettled(others.map((other) => other.connect()));
  await using server = await startAt(postgres.url);
  const said = await create(server, "a");
  const faults = expectation(said, /Raise max_connections of the engine/, "crowded");
  await Promise.allSettled(others.map((other) => other.close({ timeout: 0 })));
  faults.push(...(await untilDone(server, 2_000)));
  return { name: "no connections left", said, faults };
}

const diskMib = 96;

/** A file system of its own that is full: only root can make one. */
async function full(): Promise<Trial> {
  const name = "a full disk";
  if (process.getuid?.() !== 0) return { name, said: "not tried: it needs root", faults: [] };
  const disk = mkdtempSync(join(tmpdir(), "scorpiox-disk-"));
  const mount = Bun.spawnSync([
    "mount",
    "-t",
    "tmpfs",
    "-o",
    `size=${diskMib}m,mode=755`,
    "none",
    disk,
  ]);
  try {
    if (mount.exitCode !== 0) return { name, said: "not tried: no file system", faults: [] };
    return await onFullDisk(name, disk);
  } finally {
    Bun.spawnSync(["umount", "--lazy", disk]);
    rmSync(disk, { recursive: true, force: true });
  }
}

async function onFullDisk(name: string, disk: string): Promise<Trial> {
  const settings = { min_wal_size: "32MB", max_wal_size: "32MB" };
  await using postgres = await Postgres.start({ under: disk, settings });
  await using server = await startAt(postgres.url);
  const faults = expectation(await create(server, "a"), "done", "before");
  const filler = join(disk, "filler");
  fill(filler);
  let said = "done";
  for (let place = 0; place < 200 && said === "done"; place += 1) {
    said = await create(server, `${place} ${randomText(9_000)}`);
  }
  faults.push(...expectation(said, /No space left.*The disk of the engine is full/s, "full"));
  rmSync(filler);
  faults.push(...(await untilDone(server, 10_000)));
  return { name, said: said.slice(0, 300), faults };
}

function fill(path: string): void {
  const piece = Buffer.alloc(64 * 1024);
  try {
    for (;;) writeFileSync(path, piece, { flag: "a" });
  } catch {
    if (statSync(path).size === 0) throw new Error("the disk was full before");
  }
}

/** That no engine can make smaller. */
function randomText(length: number): string {
  return crypto.getRandomValues(Buffer.alloc(length)).toString("base64").slice(0, length);
}

async function untilDone(server: Server, msMax: number): Promise<string[]> {
  const began = performance.now();
  let said = "";
  while (performance.now() < began + msMax) {
    said = await create(server, "after");
    if (said === "done") return [];
    await Bun.sleep(50);
  }
  return [`not back after ${msMax} ms: ${said}`];
}
