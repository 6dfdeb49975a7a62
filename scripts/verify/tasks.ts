/**
 * Tasks under fire: many servers that write at once, servers that are killed while they write, a full disk.
 *
 *     bun scripts/verify/tasks.ts [--kills 150]
 */
import { Database } from "bun:sqlite";

import { isError, structuredOf } from "../../test/e2e/harness/messages.ts";
import { Server, type ServerMessage } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { type Outcome, seconds } from "./outcome.ts";
import { runAlone } from "./run-alone.ts";
import { fillTheDisk, type Part } from "./tasks-full-disk.ts";

const serverCount = 4;
const changesEach = 500;
/** Requests of one server that are under way at once. */
const inFlight = 32;

export async function checkTasks(kills: number): Promise<Outcome> {
  const parts = [await writeTogether(), await killWriters(kills), await fillTheDisk()];
  const faults = parts.flatMap((part) => part.faults);
  return {
    name: "tasks",
    passed: faults.length === 0,
    figures: parts.map(({ name, figure }) => `${name}: ${figure}`).join("; "),
    faults,
    details: parts.map((part) => [
      part.name,
      part.faults.length === 0 ? "pass" : "FAIL",
      part.figure,
    ]),
  };
}

/** Every change of every server is kept, and every id given out once. */
async function writeTogether(): Promise<Part> {
  using home = new TempFolder();
  const servers = await Promise.all(Array.from({ length: serverCount }, () => startIn(home)));
  // The steps go to a task that is there.
  await servers[0]?.call("TaskManager", { action: "create", query: "", text: "the first" });
  const started = performance.now();
  const ids = (await Promise.all(servers.map((server) => writeChanges(server)))).flat();
  const ms = performance.now() - started;
  for (const server of servers) await server[Symbol.asyncDispose]();
  const texts = readStore(home, "SELECT text FROM tasks UNION ALL SELECT text FROM task_steps");
  texts.splice(texts.indexOf("the first"), 1);
  const wanted = serverCount * changesEach;
  const faults = [
    ...(ids.length === wanted ? [] : [`${ids.length} of ${wanted} changes were acknowledged`]),
    ...(new Set(ids).size === ids.length ? [] : ["an id was given out twice"]),
    ...(new Set(texts).size === wanted ? [] : [`${new Set(texts).size} of ${wanted} are there`]),
  ];
  const name = `${serverCount} servers × ${changesEach} changes at once`;
  const figure = `${texts.length} of ${wanted} kept, ${new Set(ids).size} ids, in ${seconds(ms)}`;
  return { name, figure, faults };
}

/** Half of them tasks, half of them steps. Returns the ids that were acknowledged. */
async function writeChanges(server: Server): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < changesEach) {
      const place = next++;
      const isTask = place % 2 === 0;
      const text = `${server.pid} ${place}`;
      const args = isTask
        ? { action: "create", query: "", text }
        : { action: "add", query: "", text, task_id: 1 };
      const reply = await server.call("TaskManager", args);
      if (!isError(reply)) ids.push(idOf(reply, isTask));
    }
  };
  await Promise.all(Array.from({ length: inFlight / serverCount }, work));
  return ids;
}

function idOf(reply: ServerMessage, isTask: boolean): string {
  const { currentTaskId, stepId } = structuredOf(reply);
  return isTask ? `task ${String(currentTaskId)}` : `step ${String(stepId)}`;
}

/** Nothing that was acknowledged is lost, and the store can be read by the next server. */
async function killWriters(kills: number): Promise<Part> {
  using home = new TempFolder();
  const kept: string[] = [];
  const faults: string[] = [];
  let slowestStartMs = 0;
  for (let run = 0; run < kills && faults.length === 0; run += 1) {
    const started = performance.now();
    const server = await startIn(home);
    await server.call("TaskManager", { action: "pending", query: "no such words" });
    slowestStartMs = Math.max(slowestStartMs, performance.now() - started);
    kept.push(...(await killWhileWriting(server, `run ${run}`)));
    faults.push(...lookAtStore(home, kept, run));
    if (run % 25 === 24) console.log(`tasks: ${run + 1} of ${kills} kills`);
  }
  if (kept.length < kills) faults.push(`only ${kept.length} changes were acknowledged at all`);
  const size = Math.round(Bun.file(home.at(".scorpiox/scorpiox.db")).size / 1024);
  const figure =
    `${kept.length} acknowledged changes, ${faults.length === 0 ? "none lost, integrity_check ok each time" : "not all kept"}, ${size} KiB; ` +
    `slowest start with a first answer ${seconds(slowestStartMs)}`;
  return { name: `${kills} × kill -9 while writing`, figure, faults };
}

/** The texts that were acknowledged before the server died. */
async function killWhileWriting(server: Server, label: string): Promise<string[]> {
  const kept: string[] = [];
  server.onMessage(({ id, result }) => {
    if (result !== undefined && result["isError"] === false) kept.push(String(id));
  });
  const death = new AbortController();
  const kill = (): void => {
    death.abort();
    server.signal("SIGKILL");
  };
  setTimeout(kill, 5 + Math.random() * 150);
  let place = 0;
  const work = async (): Promise<void> => {
    while (!death.signal.aborted) {
      const text = `${label}, ${(place += 1)}: ${"x".repeat(1 + Math.random() * 2_000)}`;
      const args = { action: "create", query: "", text };
      await server.reply(
        server.start("tools/call", { name: "TaskManager", arguments: args }, text),
      );
    }
  };
  await Promise.allSettled(Array.from({ length: inFlight }, work));
  await server.ended().catch(() => undefined);
  return kept.filter((text) => text.startsWith(label));
}

function lookAtStore(home: TempFolder, kept: readonly string[], run: number): string[] {
  const [integrity] = readStore(home, "PRAGMA integrity_check");
  const texts = new Set(readStore(home, "SELECT text FROM tasks"));
  const lost = kept.filter((text) => !texts.has(text));
  const ids = readStore(home, "SELECT count(*) - max(task_id) FROM tasks");
  return [
    ...(integrity === "ok" ? [] : [`after kill ${run}: integrity_check says ${integrity}`]),
    ...(lost.length === 0 ? [] : [`after kill ${run}: ${lost.length} lost, such as ${lost[0]}`]),
    ...(ids[0] === "0" || ids[0] === "null" ? [] : [`after kill ${run}: ids have gaps`]),
  ];
}

/** The first column, as text. */
function readStore(home: TempFolder, query: string): string[] {
  using database = new Database(home.at(".scorpiox/scorpiox.db"), { readonly: true });
  return database
    .query(query)
    .values()
    .map(([value]) => String(value));
}

async function startIn(home: TempFolder): Promise<Server> {
  const server = new Server({ home });
  await server.initialize();
  return server;
}

if (import.meta.main) await runAlone(checkTasks, "kills", 150);
