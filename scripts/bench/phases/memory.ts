import type { Connection } from "../client/connection.ts";
import { runPipelined } from "../client/pipelined.ts";
import { countThreads, privateMb, proportionalMb } from "../client/process-info.ts";
import { cheapRequest } from "../participant.ts";
import type { Participant } from "../participant.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";

/** Time for a server to finish what it does after `tools/list`, and for collectors to run. */
const settleMs = 1500;
const burstCalls = 200;
const burstWindow = 64;

/** Idle memory after `tools/list`, and what each further Worker adds to it. */
export const memory: Phase = async (participants, settings) => {
  for (let start = 0; start < settings.memoryStarts; start++) await measureAll(participants);
};

async function measureAll(participants: readonly Participant[]): Promise<void> {
  using started = new DisposableStack();
  const connections = new Map<Participant, Connection>();
  await interleave("memory", participants, 1, (participant) => {
    const connection = started.use(participant.start());
    connection.initialize();
    connection.call("tools/list");
    connections.set(participant, connection);
  });
  await Bun.sleep(settleMs);
  const idle = new Map<Participant, Footprint>();
  await interleave("memory", [...connections.keys()], 1, (participant) => {
    const connection = connections.get(participant);
    if (connection === undefined) return;
    participant.record("idleProportionalMb", proportionalMb(connection.pid));
    const footprint = footprintOf(participant, connection);
    participant.record("idlePrivateMb", footprint.privateMb);
    if (footprint.workers === undefined) return;
    participant.record("liveWorkers", footprint.workers);
    idle.set(participant, footprint);
    runPipelined(connection, burstCalls, burstWindow, () => cheapRequest(participant, connection));
  });
  if (idle.size === 0) return;
  await Bun.sleep(settleMs);
  await interleave("memory", [...idle.keys()], 1, (participant) => {
    const connection = connections.get(participant);
    const before = idle.get(participant);
    if (connection !== undefined && before !== undefined) {
      recordPerWorker(participant, before, footprintOf(participant, connection));
    }
  });
}

interface Footprint {
  readonly privateMb: number;
  /** Undefined for a server that is not known to have Workers. */
  readonly workers: number | undefined;
}

function footprintOf(participant: Participant, connection: Connection): Footprint {
  const { workerThread } = participant.adapter;
  const workers = workerThread && countThreads(connection.pid, workerThread);
  return { privateMb: privateMb(connection.pid), workers };
}

/** Says nothing when the burst started no further Worker. */
function recordPerWorker(participant: Participant, before: Footprint, after: Footprint): void {
  const added = (after.workers ?? 0) - (before.workers ?? 0);
  if (added < 1) return;
  participant.record("workerPrivateMb", (after.privateMb - before.privateMb) / added);
}
