/**
 * Tasks of several replicas in one PostgreSQL that is killed again and again: nothing that was acknowledged is lost, nothing is
 * there twice.
 */
import { onlyMessage } from "../../../test/e2e/harness/http-client.ts";
import { HttpServer } from "../../../test/e2e/harness/http-server.ts";
import { isError, structuredOf, textOf } from "../../../test/e2e/harness/messages.ts";
import { Postgres } from "../../../test/support/engines/postgres.ts";
import { type Outcome, seconds } from "../outcome.ts";

const replicas = 3;
const writers = 4;
const changesEach = 500;
/** Requests of one writer that are under way at once. */
const inFlight = 8;
const kills = 20;

/** What became of the changes. */
interface Changes {
  /** Texts by the id that was acknowledged. */
  readonly acknowledged: Map<string, string>;
  /** Of which the answer said that they may be there. */
  readonly doubtful: Set<string>;
  /** Requests that were refused, by their answer. */
  readonly refusals: Map<string, number>;
  readonly faults: string[];
  slowestRefusalMs: number;
}

export async function checkFleetTasks(): Promise<Outcome> {
  await using postgres = await Postgres.start({ fsync: true });
  const servers = await Promise.all(
    Array.from({ length: replicas }, () =>
      HttpServer.start({ args: ["--workspace", "fleet"], env: { STORE_URL: postgres.url } }),
    ),
  );
  try {
    return await writeThroughKills(postgres, servers);
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
}

async function writeThroughKills(
  postgres: Postgres,
  servers: readonly HttpServer[],
): Promise<Outcome> {
  const changes: Changes = {
    acknowledged: new Map(),
    doubtful: new Set(),
    refusals: new Map(),
    faults: [],
    slowestRefusalMs: 0,
  };
  await change(servers, 0, "the first", true, changes);
  const started = performance.now();
  let isOver = false;
  const killing = killAgainAndAgain(postgres, () => (isOver ? undefined : doneIn(changes)));
  const writing = Array.from({ length: writers }, (_, writer) => write(servers, writer, changes));
  await Promise.all(writing);
  isOver = true;
  const done = await killing;
  const ms = performance.now() - started;
  const faults = [...changes.faults, ...(await lookAt(postgres, changes))];
  if (done < kills) faults.push(`killed only ${done} times`);
  const refused = [...changes.refusals.values()].reduce((sum, count) => sum + count, 0);
  const figures =
    `${writers} × ${changesEach} changes over ${replicas} replicas, PostgreSQL killed ${done} times: ` +
    `${changes.acknowledged.size} acknowledged, all there once, ids unique; ${changes.doubtful.size} in doubt; ` +
    `${refused} refused by name and repeated, slowest refusal ${seconds(changes.slowestRefusalMs)}; in ${seconds(ms)}`;
  return { name: "fleet-tasks", passed: faults.length === 0, figures, faults: faults.slice(0, 20) };
}

function doneIn({ acknowledged, doubtful }: Changes): number {
  return acknowledged.size + doubtful.size;
}

/** Spread over all changes. Returns how often it was killed. */
async function killAgainAndAgain(
  postgres: Postgres,
  done: () => number | undefined,
): Promise<number> {
  const step = (writers * changesEach) / (kills + 2);
  for (let kill = 0; kill < kills; kill += 1) {
    for (;;) {
      const now = done();
      if (now === undefined) return kill;
      if (now >= (kill + 1) * step) break;
      await Bun.sleep(2);
    }
    await postgres.kill();
    // Also longer than anybody waits.
    await Bun.sleep(kill % 4 === 3 ? 1_500 : Math.random() * 300);
    await postgres.start();
  }
  return kills;
}

async function write(
  servers: readonly HttpServer[],
  writer: number,
  changes: Changes,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < changesEach) {
      const place = next++;
      const text = `${writer} ${place}`;
      while (!(await change(servers, writer + place, text, place % 2 === 0, changes))) {
        await Bun.sleep(50);
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}

/** False when it is to be repeated: the answer says that nothing was changed. */
async function change(
  servers: readonly HttpServer[],
  turn: number,
  text: string,
  isTask: boolean,
  changes: Changes,
): Promise<boolean> {
  const args = isTask
    ? { action: "create", query: "", text }
    : { action: "add", query: "", text, task_id: 1 };
  const server = servers[turn % servers.length];
  if (server === undefined) return false;
  const began = performance.now();
  const answer = await server.modern("tools/call", { name: "TaskManager", arguments: args });
  const reply = onlyMessage(answer);
  if (!isError(reply)) {
    keep(changes, isTask ? `task ${idOf(reply)}` : `step ${idOf(reply)}`, text);
    return true;
  }
  changes.slowestRefusalMs = Math.max(changes.slowestRefusalMs, performance.now() - began);
  const said = textOf(reply);
  changes.refusals.set(said, (changes.refusals.get(said) ?? 0) + 1);
  if (said.includes("may have been saved anyway")) {
    changes.doubtful.add(text);
    return true;
  }
  if (!/^(Error: )?PostgreSQL at .*Nothing was changed\./s.test(said)) changes.faults.push(said);
  return false;
}

function keep({ acknowledged, faults }: Changes, id: string, text: string): void {
  const before = acknowledged.get(id);
  if (before !== undefined) faults.push(`${id} was given to "${before}" and to "${text}"`);
  acknowledged.set(id, text);
}

function idOf(reply: Parameters<typeof structuredOf>[0]): string {
  const { currentTaskId, stepId } = structuredOf(reply);
  return String(stepId ?? currentTaskId);
}

async function lookAt(postgres: Postgres, changes: Changes): Promise<string[]> {
  const sql = postgres.client();
  const rows: { id: string; text: string }[] = await sql`
    SELECT 'task ' || task_id AS id, text FROM scorpiox.tasks
    UNION ALL SELECT 'step ' || step_id, text FROM scorpiox.task_steps`;
  await sql.close();
  const kept = new Map(rows.map(({ id, text }) => [id, text]));
  const counts = new Map<string, number>();
  for (const { text } of rows) counts.set(text, (counts.get(text) ?? 0) + 1);
  const lost = [...changes.acknowledged].filter(([id, text]) => kept.get(id) !== text);
  const twice = [...counts].filter(([, count]) => count > 1).map(([text]) => text);
  const known = new Set([...changes.acknowledged.values(), ...changes.doubtful]);
  const foreign = rows.filter(({ text }) => !known.has(text));
  return [
    ...lost.map(([id, text]) => `${id} ("${text}") was acknowledged and is not there`),
    ...twice.map((text) => `"${text}" is there twice`),
    ...foreign.map(({ text }) => `"${text}" was refused and is there`),
  ];
}
