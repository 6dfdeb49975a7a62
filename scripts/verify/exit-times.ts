/** How soon the server ends after its client: idle within 1 s, with commands running within 2 s. */
import { allGone, sleepers, uniqueSeconds } from "../../test/e2e/harness/processes.ts";
import { eventually } from "../../test/e2e/harness/conditions.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { type Outcome, seconds } from "./outcome.ts";

const idleMsMax = 1_000;
const busyMsMax = 2_000;

interface ExitKind {
  readonly name: string;
  readonly msMax: number;
  readonly runs: number;
  /** Brings the server to where it is ended from; returns the marker of its children. */
  prepare(server: Server): Promise<string | undefined>;
  end(server: Server): void;
}

async function startCommands(server: Server): Promise<string> {
  const marker = uniqueSeconds();
  await server.initialize();
  const stubborn = `trap '' TERM HUP INT; sleep ${marker}; sleep ${marker}`;
  const daemon = `setsid sh -c "trap '' TERM; sleep ${marker}; :" & sleep ${marker}`;
  server.start("tools/call", { name: "Bash", arguments: { command: daemon, timeout: 600_000 } });
  await server.call("BackgroundBash", { command: stubborn });
  await eventually("three sleepers", () => sleepers(marker) >= 3);
  return marker;
}

const kinds: readonly ExitKind[] = [
  {
    name: "idle, end of input",
    msMax: idleMsMax,
    runs: 20,
    async prepare(server) {
      await server.initialize();
      await server.call("Bash", { command: "true" });
      return undefined;
    },
    end: (server) => server.endInput(),
  },
  {
    name: "three commands, two of them ignore TERM, end of input",
    msMax: busyMsMax,
    runs: 10,
    prepare: startCommands,
    end: (server) => server.endInput(),
  },
  {
    name: "three commands, two of them ignore TERM, SIGTERM",
    msMax: busyMsMax,
    runs: 10,
    prepare: startCommands,
    end: (server) => server.signal("SIGTERM"),
  },
];

export async function checkExitTimes(): Promise<Outcome> {
  const faults: string[] = [];
  const details: [string, string, string][] = [];
  for (const kind of kinds) {
    const times: number[] = [];
    for (let run = 0; run < kind.runs; run++) times.push(await timeOne(kind, faults));
    const slowest = Math.max(...times);
    const isSoon = slowest <= kind.msMax;
    if (!isSoon) faults.push(`${kind.name}: ${seconds(slowest)}, at most ${seconds(kind.msMax)}`);
    const figure = `slowest of ${kind.runs}: ${seconds(slowest)}, at most ${seconds(kind.msMax)}`;
    details.push([kind.name, isSoon ? "pass" : "FAIL", figure]);
  }
  const figures = details.map(([name, , figure]) => `${name}: ${figure}`).join("; ");
  return { name: "exit times", passed: faults.length === 0, figures, faults, details };
}

async function timeOne(kind: ExitKind, faults: string[]): Promise<number> {
  await using server = new Server();
  const marker = await kind.prepare(server);
  const startedAt = performance.now();
  kind.end(server);
  const code = await server.exited;
  const ms = performance.now() - startedAt;
  if (code !== 0) faults.push(`${kind.name}: exit code ${code}`);
  if (marker !== undefined) await allGone(`sleep ${marker}`, 100);
  return ms;
}
