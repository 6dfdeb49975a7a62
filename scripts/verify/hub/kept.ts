/**
 * Kept tasks over the ends of everything else: clients and hubs that are killed around one that prints, its end while nobody
 * is there, its time, the bounds of tasks and of their output, and what is left afterwards.
 *
 *     bun scripts/verify/run.ts --only hub-kept
 *
 * Linux only.
 */
import {
  existsSync,
  globSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { textOf } from "../../../test/e2e/harness/messages.ts";
import type { Server } from "../../../test/e2e/harness/server.ts";
import type { Outcome } from "../outcome.ts";
import { killWithinReads } from "./kept-reads.ts";
import { killed, makeHome, printer, readKept, Reading, startKept } from "./kept-printer.ts";
import { python, upstreamOf, type UserHome } from "./user-home.ts";

const env = { SCORPIOX_HUB: "on" };
/** How often a client is killed before the hub is too. */
const roundsForHub = 7;

type Row = readonly [name: string, result: string, figure: string];

/** @param rounds clients that are killed around one task */
export async function checkHubKept(rounds: number): Promise<Outcome> {
  const rows: Row[] = [];
  const parts: readonly (readonly [name: string, check: () => Promise<string>])[] = [
    ["clients and hubs killed around a task that prints", () => killAround(rounds)],
    ["clients killed while a read is answered", () => killWithinReads(rounds)],
    ["its end while nobody is there", endAlone],
    ["BG_KEEP_HOURS", endByTime],
    ["16 in a workspace, 64 in all", bounds],
    ["output without end", longOutput],
    ["a disk that runs full", fullDisk],
    ["kill, hub stop", ends],
  ];
  for (const [name, check] of parts) {
    const found = await check().catch((error: unknown) => String(error));
    const isFault = found.startsWith("Error");
    rows.push([name, isFault ? "FAIL" : "pass", found]);
    console.log(`hub-kept: ${name}: ${found}`);
  }
  const failed = rows.filter(([, result]) => result === "FAIL");
  return {
    name: "hub: kept tasks",
    passed: failed.length === 0,
    figures: rows.map(([name, , figure]) => `${name}: ${figure}`).join("; "),
    faults: failed.map(([name, , figure]) => `${name}: ${figure}`),
    details: rows,
  };
}

/** The state at the end of a task. */
async function endOf(client: Server, id: number): Promise<string> {
  return await eventually("its end", async () => {
    const state = (await readKept(client, id)).split("\n").at(-1) ?? "";
    return state.includes(": running") ? undefined : state;
  });
}

async function killHub(home: UserHome): Promise<void> {
  const { pid } = await home.hub();
  process.kill(pid, "SIGKILL");
  await eventually("the end of the hub", () => !home.isOurs(pid));
}

async function killAround(rounds: number): Promise<string> {
  await using home = makeHome();
  const workspace = home.workspace("workspace");
  const script = home.write("home/printer.py", printer);
  const stop = home.at("workspace/stop");
  const reading = new Reading();
  let client = await home.client(workspace, { env });
  const id = await startKept(client, `exec ${python} -I ${script} ${stop}`);
  let [clients, hubs] = [0, 0];
  for (let round = 1; round <= rounds; round++) {
    for (let reads = 1 + (round % 3); reads > 0; reads--) {
      reading.take(await readKept(client, id));
    }
    // Before, after or without its client: the next one goes on in the same place.
    if (round % roundsForHub === 0) {
      await killHub(home);
      hubs += 1;
      if (round % 2 === 0) reading.take(await readKept(client, id));
    }
    if (round % 2 === 0) await Bun.sleep(Math.random() * 30);
    await killed(client);
    clients += 1;
    client = await home.client(workspace, { env });
  }
  writeFileSync(stop, "");
  const state = await eventually("its end", async () => {
    const said = reading.take(await readKept(client, id));
    return said.includes(": running") ? undefined : said;
  });
  if (!state.includes("exit code 7")) throw new Error(`its end is not known: ${state}`);
  const [file = ""] = globSync(join(home.home, `.scorpiox/kept/*/${id}/output`));
  const printed = statSync(file).size;
  if (reading.bytes !== printed) throw new Error(`${reading.bytes} of ${printed} bytes were read`);
  return `${clients} of ${rounds} clients reattached, ${hubs} hubs killed, ${printed} bytes in ${reading.next} lines, 0 lost, 0 repeated, exit code known`;
}

/** No client and no hub is there when it ends. */
async function endAlone(): Promise<string> {
  await using home = makeHome();
  const workspace = home.workspace("workspace");
  const done = home.at("workspace/done");
  const first = await home.client(workspace, { env });
  const go = home.at("workspace/go");
  const command = `until [ -e ${go} ]; do sleep 0.02; done; echo last; touch ${done}; exit 3`;
  const id = await startKept(first, command);
  await killHub(home);
  await killed(first);
  // The killed client may have started another hub already.
  await eventually("the end of all hubs", () => {
    for (const { pid } of home.hubs) process.kill(pid, "SIGKILL");
    return home.hubs.length === 0;
  });
  writeFileSync(go, "");
  await eventually("its end", () => existsSync(done));
  const second = await home.client(workspace, { env });
  const text = await eventually("the end as the next client sees it", async () => {
    const said = await readKept(second, id);
    return said.includes(": running") ? undefined : said;
  });
  if (!text.startsWith("last\n") || !text.includes("exit code 3")) throw new Error(text);
  return "output and exit code are there for the next client";
}

/** As if it had been started long ago: the record says when it ends. */
async function endByTime(): Promise<string> {
  await using home = makeHome();
  const workspace = home.workspace("workspace");
  const first = await home.client(workspace, {
    env: { ...env, SCORPIOX_BG_KEEP_HOURS: "1" },
  });
  const id = await startKept(first, "sleep 6000");
  const [file = ""] = globSync(join(home.home, `.scorpiox/kept/*/${id}/record.json`));
  const record = JSON.parse(readFileSync(file, "utf8"));
  const hours = (record.endsAt - record.startedAt) / 3_600_000;
  if (hours !== 1) throw new Error(`it would end after ${hours} hours`);
  const past = { ...record, startedAt: record.startedAt - 4e6, endsAt: record.endsAt - 4e6 };
  writeFileSync(`${file}.new`, JSON.stringify(past));
  renameSync(`${file}.new`, file);
  home.give();
  // Whoever looks at it next has not known it before.
  await killHub(home);
  const state = await endOf(first, id);
  if (home.processes().some(({ command }) => command.includes("sleep 6000"))) {
    throw new Error("it still runs");
  }
  return state.replace(/^Task \d+: /, "");
}

async function bounds(): Promise<string> {
  await using home = makeHome();
  const refusals: string[] = [];
  let started = 0;
  for (let number = 1; number <= 5; number++) {
    const client = await home.client(home.workspace(`workspace${number}`), { env });
    for (let count = 0; count < 17; count++) {
      const text = textOf(
        await client.call("BackgroundBash", { command: "sleep 6000", keep: true }),
      );
      if (text.includes("task_id: ")) started += 1;
      else refusals.push(text);
    }
  }
  const count = home.processes().filter(({ command }) => /^sleep 6000$/.test(command)).length;
  if (started !== 64) throw new Error(`${started} were started, of which ${count} run`);
  if (count > 64) throw new Error(`${count} run`);
  const inWorkspace = refusals.filter((text) => text.includes("16")).length;
  if (inWorkspace < 4) throw new Error(`the refusals do not say why: ${refusals[0]}`);
  const { exitCode, stderr } = await home.run(["hub", "stop"]);
  if (exitCode === 0) throw new Error("hub stop ended them without --kept");
  const stopped = await home.run(["hub", "stop", "--kept"]);
  if (stopped.exitCode !== 0) throw new Error(`hub stop --kept: ${stopped.stderr}`);
  await eventually("the end of all tasks", () =>
    home.processes().every(({ command }) => command !== "sleep 6000"),
  );
  return `the 17th is refused in each of 4, the 65th of all; hub stop: ${stderr.trim().split("\n")[0]}; with --kept nothing is left`;
}

const MiB = 1024 * 1024;

async function longOutput(): Promise<string> {
  await using home = makeHome();
  const client = await home.client(home.workspace("workspace"), { env });
  const ids: number[] = [];
  for (let count = 0; count < 5; count++) {
    ids.push(await startKept(client, "yes 0123456789 | head -c 320M; echo; echo the end; exit 5"));
  }
  for (const id of ids) {
    const state = await endOf(client, id);
    if (!state.includes("exit code 5")) throw new Error(`task ${id} did not end: ${state}`);
  }
  const sizes = (): readonly number[] =>
    globSync(join(home.home, ".scorpiox/kept/*/*/output")).map(
      (file) => statSync(file).blocks * 512,
    );
  const sum = (): number => sizes().reduce((all, size) => all + size, 0);
  // The hub looks once a second, and drops whole blocks.
  await eventually(
    "bounded outputs",
    () => sizes().every((size) => size < 257 * MiB) && sum() < 1_025 * MiB,
  );
  return `5 tasks print 320 MiB each: ${Math.round(Math.max(...sizes()) / MiB)} MiB at most are held of one, ${Math.round(sum() / MiB)} of all, the ends known`;
}

/** A task fills the disk of the hub: the hub and its clients go on, and others may have kept tasks when there is room again. */
async function fullDisk(): Promise<string> {
  if (process.getuid?.() !== 0) return "not tried: needs root";
  await using home = makeHome();
  const disk = home.workspace("home/.scorpiox");
  const options = `size=24m,mode=700,uid=${home.uid},gid=${home.uid}`;
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "tmpfs", disk]);
  try {
    home.configure();
    const workspace = home.workspace("workspace");
    const client = await home.client(workspace, { env });
    const server = await upstreamOf(client);
    const hub = await home.hub();
    const filler = join(disk, "filler");
    const id = await startKept(
      client,
      "yes 0123456789 | head -c 100M; echo; echo ended; sleep 6000",
    );
    Bun.spawnSync(["dd", "if=/dev/zero", `of=${filler}`, "bs=1M"], { stderr: "ignore" });
    const second = await home.client(workspace, { env });
    if ((await upstreamOf(second)) !== server) throw new Error("the second has another server");
    const refused = textOf(
      await second.call("BackgroundBash", { command: "sleep 6001", keep: true }),
    );
    await readKept(second, id);
    if ((await upstreamOf(client)) !== server) throw new Error("the first has another server");
    if ((await home.hub()).pid !== hub.pid) throw new Error("the hub has ended");
    rmSync(filler);
    await client.call("KillBgTask", { task_id: id });
    let said = "";
    const text = await eventually("room for another", async () => {
      const task = await startKept(second, "echo there; exit 6").catch(
        (error: unknown) => void (said = String(error)),
      );
      return task === undefined ? undefined : endOf(second, task);
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${said}`);
    });
    if (!text.includes("exit code 6")) throw new Error(text);
    return `hub and clients go on; a start meanwhile: ${refused.slice(0, 120)}; another is kept when there is room`;
  } finally {
    for (const { pid } of home.processes()) process.kill(pid, "SIGKILL");
    await eventually("the end of all", () => home.processes().length === 0);
    Bun.spawnSync(["umount", "-l", disk]);
  }
}

async function ends(): Promise<string> {
  const home = makeHome();
  try {
    const client = await home.client(home.workspace("workspace"), {
      env: { ...env, SCORPIOX_HUB_IDLE: "0" },
    });
    const id = await startKept(client, "trap '' TERM; setsid sleep 6001 & sleep 6002");
    const text = textOf(await client.call("KillBgTask", { task_id: id }));
    if (home.processes().some(({ command }) => /^sleep 600[12]$/.test(command))) {
      throw new Error(`something of it is left: ${text}`);
    }
    await startKept(client, "sleep 6003");
    await killed(client);
    const hub = await home.hub();
    const next = await home.client(home.workspace("workspace"), { env });
    if ((await home.hub()).pid !== hub.pid) throw new Error("the hub ended with a task running");
    await next.call("KillBgTask", { task_id: id + 1 });
    next.endInput();
    await next.ended();
    const left = await home.nothingLeft();
    if (left.length > 0) throw new Error(`left: ${left.join("; ")}`);
    return "nothing left after the last task and the last client";
  } finally {
    await home[Symbol.asyncDispose]();
  }
}
