/**
 * Kills servers with SIGKILL while they run commands of every stubborn kind, and looks what is left.
 *
 *     bun scripts/verify/kill-loop.ts [--runs 100]
 *
 * Linux only: processes are found in /proc by the marker in their command line, by the home in their
 * environment, and by having descended from the server.
 */
import { readdirSync, readFileSync } from "node:fs";

import { eventually } from "../../test/e2e/harness/conditions.ts";
import { sleepers, uniqueSeconds } from "../../test/e2e/harness/processes.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { type Outcome, seconds } from "./outcome.ts";
import { runAlone } from "./run-alone.ts";

const goneMsMax = 5_000;

/** Five foreground commands; `S` stands for the marker's sleep. */
const foreground = [
  "S",
  "trap '' TERM HUP INT; S; S",
  "setsid S & S",
  "S | S | S",
  "S & sleep 0.1; kill -STOP $!; wait",
];

const background = [
  "S",
  "trap '' TERM HUP INT QUIT; S; S",
  // A daemon in a session of its own.
  "setsid S & S",
  // The same, deaf.
  `setsid sh -c "trap '' TERM HUP; S; :" & S`,
  // A daemon that has left its parent behind, as daemons do.
  `(setsid sh -c "S & exit" &); S`,
  `(setsid sh -c "trap '' TERM; (S; :) & exit" &); S`,
  // Stopped.
  "S & sleep 0.1; kill -STOP $!; wait",
  // Without its environment, in its group.
  `env -i /bin/sh -c "trap '' TERM; S; :"`,
  "nohup S >/dev/null 2>&1 & S",
  "for i in 1 2 3; do (S; :) & done; while :; do echo noise; sleep 0.01; done",
];
/** How many sleeps those are. */
const sleepersCount = 1 + 1 + 2 + 3 + 1 + (1 + 1 + 2 + 2 + 2 + 2 + 1 + 1 + 2 + 3);

export async function checkKillLoop(runs: number): Promise<Outcome> {
  const times: number[] = [];
  const faults: string[] = [];
  for (let run = 1; run <= runs; run++) {
    try {
      times.push(await killOne());
    } catch (error) {
      faults.push(`run ${run}: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (run % 10 === 0) console.log(`kill loop: ${times.length} of ${run}`);
  }
  const slowest = times.length === 0 ? "none" : seconds(Math.max(...times));
  const figures =
    `${times.length} of ${runs} left nothing after ${seconds(goneMsMax)}; slowest ${slowest} ` +
    `(${foreground.length} Bash, ${background.length} background, ${sleepersCount} processes and their shells)`;
  return { name: "kill -9", passed: faults.length === 0 && runs > 0, figures, faults };
}

/**
 * Milliseconds until nothing was left.
 * @throws Error that names what was left
 */
async function killOne(): Promise<number> {
  const marker = uniqueSeconds();
  await using server = new Server();
  await server.initialize();
  const commandOf = (text: string): string => text.replaceAll(/(?<!-)\bS\b/g, `sleep ${marker}`);
  for (const text of foreground) {
    const args = { command: commandOf(text), timeout: 600_000 };
    server.start("tools/call", { name: "Bash", arguments: args });
  }
  const tasks = background.map((text) =>
    server.call("BackgroundBash", { command: commandOf(text) }),
  );
  await Promise.all(tasks);
  await eventually("all commands", () => sleepers(marker) >= sleepersCount, 15_000);
  // Not always at the same moment of a command's life. The guardian is told of commands that live a tenth of
  // a second; until then only the owner mark stands for them, which one of these has wiped.
  await Bun.sleep(200 + Math.random() * 300);
  const known = new Set(descendants(server.pid).map(({ key }) => key));
  const isOurs = (info: Process): boolean =>
    known.has(info.key) ||
    info.command.includes(marker) ||
    environmentOf(info.pid).includes(`HOME=${server.home.path}`);
  server.signal("SIGKILL");
  const killedAt = performance.now();
  for (;;) {
    const left = listProcesses().filter((info) => info.pid !== process.pid && isOurs(info));
    const ms = performance.now() - killedAt;
    if (left.length === 0) return ms;
    if (ms > goneMsMax) {
      for (const { pid } of left) endOne(pid);
      throw new Error(`left: ${left.map(({ pid, command }) => `${pid} ${command}`).join("; ")}`);
    }
    await Bun.sleep(20);
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** Tells a process from a later one with the same id. */
  readonly key: string;
}

function listProcesses(): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((info) => info !== undefined);
}

/** Undefined for what has ended, zombies included. */
function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return { pid, parent: Number(fields[1]), command, key: `${pid}@${fields[19]}` };
  } catch {
    return undefined;
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}

/** All below a process, itself not included. */
function descendants(root: number): Process[] {
  const all = listProcesses();
  const found: Process[] = [];
  const parents = new Set([root]);
  for (let before = -1; before !== found.length;) {
    before = found.length;
    for (const info of all) {
      if (parents.has(info.pid) || !parents.has(info.parent)) continue;
      parents.add(info.pid);
      found.push(info);
    }
  }
  return found;
}

function endOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

if (import.meta.main) await runAlone(checkKillLoop, "runs", 100);
