/** What a call costs with PostgreSQL beside the embedded store, turn by turn in one run. */
import { isError } from "../../../test/e2e/harness/messages.ts";
import { Server } from "../../../test/e2e/harness/server.ts";
import { Postgres } from "../../../test/support/engines/postgres.ts";
import type { Outcome } from "../outcome.ts";

/** Rounds of each kind of call; in each, both stores take their turn. */
const rounds = 15;
const callsInRound = 40;

const kinds = {
  "TaskManager create": () => call("TaskManager", { action: "create", query: "", text: "a task" }),
  "TaskManager list": () => call("TaskManager", { action: "pending", query: "no such words" }),
  "PlanMode status": () => call("PlanMode", { action: "status" }),
  "Bash true": () => call("Bash", { command: "true" }),
} as const;

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

function call(name: string, args: Call["args"]): Call {
  return { name, args };
}

export async function checkFleetFigures(): Promise<Outcome> {
  await using postgres = await Postgres.start({ fsync: true });
  await using embedded = new Server();
  await using shared = new Server({ env: { STORE_URL: postgres.url } });
  const faults: string[] = [];
  for (const server of [embedded, shared]) await server.initialize();
  const lines: string[] = [];
  for (const [name, make] of Object.entries(kinds)) {
    const times = { embedded: [] as number[], shared: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      times.embedded.push(await timed(embedded, make(), faults));
      times.shared.push(await timed(shared, make(), faults));
    }
    const [ours, theirs] = [median(times.embedded), median(times.shared)];
    lines.push(`${name} ${ours.toFixed(2)} → ${theirs.toFixed(2)} ms`);
  }
  const figures = `median of ${rounds} × ${callsInRound} calls one after the other, SQLite → PostgreSQL on the same machine, both with fsync: ${lines.join("; ")}`;
  return { name: "fleet-figures", passed: faults.length === 0, figures, faults };
}

/** Milliseconds of a call, in the mean of a round. */
async function timed(server: Server, { name, args }: Call, faults: string[]): Promise<number> {
  const began = performance.now();
  for (let place = 0; place < callsInRound; place += 1) {
    const reply = await server.call(name, args);
    if (isError(reply) || reply.error !== undefined)
      faults.push(`${name}: ${JSON.stringify(reply)}`);
  }
  return (performance.now() - began) / callsInRound;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
