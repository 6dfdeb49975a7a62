/**
 * Commands that leave their group, their session, their parent and their environment, and that are another process every
 * moment: what lives three seconds after their call, and three seconds after their server ended in each way.
 *
 *     bun scripts/verify/survivors.ts [--commands 1000]
 *
 * Linux only. Whether a process of a command lives is told by the lock that all of them hold; no list of processes would
 * show it.
 */
import { eventually } from "../../test/e2e/harness/conditions.ts";
import { productBinary } from "../../test/e2e/harness/binary.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { type Comet, isHeld, makeComet } from "../../test/fixtures/processes/comet.ts";
import { Bystanders } from "./bystanders.ts";
import type { Outcome } from "./outcome.ts";
import { runAlone } from "./run-alone.ts";

/** What lives then is counted. */
const lookAfterMs = 3_000;
/** Longer than any look; then a survivor ends by itself. */
const lifeSeconds = 60;
/** Commands of one server: more comets at once would only wait for the processors. */
const batchSize = 12;

/** How a server ends; `call` for none: only the calls do. */
type End = "call" | "eof" | "TERM" | "INT" | "its own exit" | "KILL";

const gentleEnds: readonly End[] = ["eof", "TERM", "INT", "its own exit"];

interface Kind {
  readonly name: string;
  command(comet: Comet, file: string): string;
}

const kinds: readonly Kind[] = [
  kind("wiped, 0 µs", (comet, file) => `env -i ${comet.command(file, lifeSeconds, 0)}`),
  kind("wiped, 300 µs", (comet, file) => `env -i ${comet.command(file, lifeSeconds, 300)}`),
  kind("wiped, 2 ms", (comet, file) => `env -i ${comet.command(file, lifeSeconds, 2_000)}`),
  kind("wiped daemon", (comet, file) => `env -i ${comet.command(file, lifeSeconds, "daemon")}`),
  kind("daemon with its mark", (comet, file) => comet.command(file, lifeSeconds, "daemon")),
  kind("wiped, in its group", (_, file) => `env -i flock ${file} sleep ${lifeSeconds} &`),
];

/** Commands, and how many of them had a living process at the look. */
interface Count {
  commands: number;
  alive: number;
}

interface Batch {
  readonly end: End;
  readonly size: number;
  readonly isSandboxed: boolean;
}

export async function checkSurvivors(commands: number): Promise<Outcome> {
  let language: Comet["language"] = "C";
  await using bystanders = await Bystanders.start();
  const details: [string, string, string][] = [];
  const faults: string[] = [];
  const measure = async (end: End, isSandboxed: boolean, total: number): Promise<void> => {
    const counts = new Map<string, Count>(
      kinds.map(({ name }) => [name, { commands: 0, alive: 0 }]),
    );
    for (let left = total; left > 0; left -= batchSize) {
      const batch = { end, size: Math.min(left, batchSize), isSandboxed };
      language = await runBatch(batch, counts);
    }
    const name = `${nameOf(end)}${isSandboxed ? ", bubblewrap" : ""}`;
    const missed = kinds.filter((each) => aliveOf(counts, each) > 0);
    faults.push(...missed.map((each) => `${name}: ${each.name}: ${aliveOf(counts, each)} alive`));
    details.push([name, missed.length === 0 ? "pass" : "FAIL", figureOf(counts)]);
    console.log(`survivors: ${name}: ${figureOf(counts)}`);
  };
  await measure("call", false, Math.ceil(commands / 4));
  for (const end of gentleEnds) await measure(end, false, Math.ceil(commands / 4));
  await measure("KILL", false, Math.ceil(commands / 4));
  if (Bun.which("bwrap") !== null) await measure("KILL", true, Math.ceil(commands / 4));
  const touched = await bystanders.touched();
  faults.push(...touched.map((each) => `a process of somebody else was touched: ${each}`));
  const figures =
    `${details.map(([name, , figure]) => `${name}: ${figure}`).join("; ")}; ` +
    `${touched.length} of ${bystanders.count} others touched (comets in ${language})`;
  return { name: "survivors", passed: faults.length === 0, figures, faults, details };
}

function kind(name: string, command: Kind["command"]): Kind {
  return { name, command };
}

function nameOf(end: End): string {
  return end === "call" ? "after the call" : `after the server's end by ${end}`;
}

function aliveOf(counts: ReadonlyMap<string, Count>, { name }: Kind): number {
  return counts.get(name)?.alive ?? 0;
}

function figureOf(counts: ReadonlyMap<string, Count>): string {
  const all = [...counts.values()].reduce((sum, { commands }) => sum + commands, 0);
  const alive = [...counts].filter(([, count]) => count.alive > 0);
  const named = alive.map(([name, count]) => `${name} ${count.alive} of ${count.commands}`);
  return `${alive.reduce((sum, [, count]) => sum + count.alive, 0)} of ${all} alive after 3 s${
    named.length === 0 ? "" : ` (${named.join(", ")})`
  }`;
}

/** @returns what its comets were made with */
async function runBatch(batch: Batch, counts: Map<string, Count>): Promise<Comet["language"]> {
  using folder = new TempFolder();
  // In the workspace, which a sandbox has too.
  const comet = makeComet(folder.path);
  const started = Array.from({ length: batch.size }, (_, index) => {
    const each = kinds[index % kinds.length]!;
    const file = folder.write(`lock${index}`, "");
    return { kind: each, file, command: each.command(comet, file) };
  });
  const texts = started.map(({ command }) => command);
  const files = started.map(({ file }) => file);
  await (batch.end === "its own exit"
    ? exitAlone(texts, folder.path, files)
    : endServer(batch, texts, folder.path, files));
  for (const { kind: each, file } of started) {
    const count = counts.get(each.name)!;
    count.commands += 1;
    if (isHeld(file)) count.alive += 1;
  }
  // What forks on ends when its file is gone.
  return comet.language;
}

/** `call` is a server for one call, which ends by itself. */
async function exitAlone(
  texts: readonly string[],
  cwd: string,
  files: readonly string[],
): Promise<void> {
  for (const [index, text] of texts.entries()) {
    // That it was there is shown by the lock, which it has before the command ends.
    const command = `${text}\nuntil ! flock -n ${files[index]} true; do sleep 0.01; done; echo held`;
    const argv = [productBinary, "call", "Bash", `command=${command}`];
    const child = Bun.spawn(argv, { cwd, env: { ...process.env, HOME: cwd }, stderr: "ignore" });
    const output = await child.stdout.text();
    await child.exited;
    if (!output.startsWith("held")) throw new Error(`not started: ${text}: ${output}`);
  }
  await Bun.sleep(lookAfterMs);
}

async function endServer(
  { end, isSandboxed }: Batch,
  texts: readonly string[],
  cwd: string,
  files: readonly string[],
): Promise<void> {
  const sandbox = { SCORPIOX_SANDBOX: "workspace-write", SCORPIOX_SANDBOX_BACKEND: "bubblewrap" };
  await using server = new Server({ cwd, env: isSandboxed ? sandbox : {} });
  await server.initialize();
  if (end === "call") {
    // Another command runs meanwhile: whose a process is must be known.
    await server.call("BackgroundBash", { command: "sleep 600" });
    const wait = (file: string): string => `until ! flock -n ${file} true; do sleep 0.01; done`;
    const calls = texts.map((text, index) =>
      server.call("Bash", { command: `${text}\n${wait(files[index]!)}` }),
    );
    await Promise.all(calls);
    await Bun.sleep(lookAfterMs);
    return;
  }
  for (const text of texts) {
    await server.call("BackgroundBash", { command: `${text}\nsleep 600` });
  }
  await eventually("all commands", () => files.every(isHeld));
  // The guardian is told of commands that live for a moment; what wiped its environment in its group is its by then.
  await Bun.sleep(200);
  if (end === "eof") server.endInput();
  else server.signal(`SIG${end}` as NodeJS.Signals);
  await server.ended();
  await Bun.sleep(lookAfterMs);
}

if (import.meta.main) await runAlone(checkSurvivors, "commands", 1_000);
