/**
 * Ends servers that have other servers as children of every stubborn kind, by the end of their input and by SIGKILL, and
 * looks what is left.
 *
 *     bun scripts/verify/upstream-exit.ts [--runs 100]
 */
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import { eventually } from "../../test/e2e/harness/conditions.ts";
import { processesWith, uniqueSeconds } from "../../test/e2e/harness/processes.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { type Outcome, seconds } from "./outcome.ts";
import { runAlone } from "./run-alone.ts";

const endMsMax = 2_000;
const killMsMax = 5_000;

/** Servers that answer nothing; `S` stands for the marker's sleep. */
const mute = [
  "S",
  "trap '' TERM HUP INT; S; S",
  // Its child is in a session of its own, and deaf.
  `setsid sh -c "trap '' TERM HUP; S; :" & S`,
  // A daemon that has left its parent behind.
  `(setsid sh -c "trap '' TERM; (S; :) & exit" &); trap '' TERM; S; S`,
  // Without its environment, in its group.
  `env -i /bin/sh -c "trap '' TERM; S; :"`,
  // Stopped.
  "S & sleep 0.1; kill -STOP $!; wait",
  "S & while :; do echo noise; echo noise >&2; sleep 0.01; done",
];
/** What a server waits for that is not started yet: the command of a reference, with a child like those. */
const reference = `trap '' TERM; setsid sh -c "trap '' TERM HUP; S; :" & S`;
const sleepersCount = 1 + 1 + 2 + 2 + 1 + 1 + 1 + 2;

export async function checkUpstreamExit(runs: number): Promise<Outcome> {
  const ends = await loop(runs, "end of input", endMsMax, (server) => server.endInput());
  const kills = await loop(runs, "kill -9", killMsMax, (server) => server.signal("SIGKILL"));
  const figure = ({ name, times, msMax }: Loop): string => {
    const slowest = times.length === 0 ? "none" : seconds(Math.max(...times));
    return `${name}: ${times.length} of ${runs} left nothing after ${seconds(msMax)}, slowest ${slowest}`;
  };
  const faults = [...ends.faults, ...kills.faults];
  return {
    name: "other servers at the end",
    passed: faults.length === 0 && runs > 0,
    figures: `${figure(ends)}; ${figure(kills)} (${mute.length} mute servers, one that works, one that waits for a command)`,
    faults,
  };
}

interface Loop {
  readonly name: string;
  readonly msMax: number;
  readonly times: readonly number[];
  readonly faults: readonly string[];
}

async function loop(
  runs: number,
  name: string,
  msMax: number,
  end: (server: Server) => void,
): Promise<Loop> {
  const times: number[] = [];
  const faults: string[] = [];
  for (let run = 1; run <= runs; run++) {
    try {
      times.push(await endOne(msMax, end));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      faults.push(`${name}, run ${run}: ${reason}`);
    }
    if (run % 10 === 0) console.log(`other servers, ${name}: ${times.length} of ${run}`);
  }
  return { name, msMax, times, faults };
}

/**
 * Milliseconds until nothing was left.
 * @throws Error that names what was left
 */
async function endOne(msMax: number, end: (server: Server) => void): Promise<number> {
  const marker = uniqueSeconds();
  using home = new TempFolder();
  home.write(".scorpiox/config.toml", configOf(marker));
  await using server = new Server({ home });
  await server.initialize();
  server.start("tools/list");
  const isUp = (): boolean => {
    const found = processesWith(marker).map(({ command }) => command);
    const sleeping = found.filter((command) => command.startsWith("sleep")).length;
    return sleeping >= sleepersCount && found.some((command) => command.includes("ignoreEof"));
  };
  await eventually("all servers", isUp, 15_000);
  // Not always at the same moment of their lives.
  await Bun.sleep(Math.random() * 300);
  const at = performance.now();
  end(server);
  for (;;) {
    const left = processesWith(marker);
    const ms = performance.now() - at;
    if (left.length === 0) return ms;
    if (ms > msMax) {
      for (const { pid } of left) kill(pid);
      throw new Error(`left: ${left.map(({ pid, command }) => `${pid} ${command}`).join("; ")}`);
    }
    await Bun.sleep(10);
  }
}

/** TOML that is JSON as far as strings go. */
function configOf(marker: string): string {
  const script = { name: `works ${marker}`, ignoreTerm: true, ignoreEof: true, grandchild: true };
  const works = [
    process.execPath,
    join(root, "test/fixtures/upstream/main.ts"),
    JSON.stringify(script),
  ];
  const commandOf = (text: string): string => text.replaceAll(/\bS\b/g, `sleep ${marker}`);
  const servers = [works, ...mute.map((text) => ["sh", "-c", commandOf(text)])]
    .map(([command, ...args], at) =>
      [
        `[mcp.servers.s${at}]`,
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args)}`,
        'start = "eager"',
        'era = "legacy"',
        "init_timeout_ms = 60000",
        "",
      ].join("\n"),
    )
    .join("\n");
  const token = JSON.stringify(`\${cmd:${commandOf(reference)}}`);
  return `${servers}\n[mcp.servers.waits]\ncommand = "cat"\nstart = "eager"\nenv = { TOKEN = ${token} }\n`;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

if (import.meta.main) await runAlone(checkUpstreamExit, "runs", 100);
