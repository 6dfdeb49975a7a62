import { nowMs } from "../client/clock.ts";
import type { Connection } from "../client/connection.ts";
import { excerptOf } from "../client/message.ts";
import { cheapRequest } from "../participant.ts";
import type { Participant } from "../participant.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";
import { shellCall } from "./shell.ts";

const slowCalls = 8;
const slowCommand = "sleep 2";
/** Less than the slow calls take: all of them are in flight for every sample. */
const measuredMs = 1800;
const slowDeadlineMs = 30_000;
const pauseMs = 0.2;

/** Cheap calls while 8 slow ones run: does anything stand at the head of the line? */
export const busy: Phase = async (participants) => {
  const shells = participants.filter((participant) => participant.adapter.shell !== undefined);
  await interleave("busy", shells, 1, measureBusy);
};

function measureBusy(participant: Participant): void {
  const connection = participant.connection();
  connection.time(cheapRequest(participant, connection));
  const startedAtMs = nowMs();
  const slow = startSlowCalls(participant, connection);
  while (nowMs() - startedAtMs < measuredMs) {
    participant.record("busyCheapUs", timeBeside(participant, connection, slow) * 1000);
    Bun.sleepSync(pauseMs);
  }
  while (slow.size > 0) slow.delete(connection.nextReply(startedAtMs + slowDeadlineMs).id);
}

function startSlowCalls(participant: Participant, connection: Connection): Set<number> {
  const call = shellCall(participant, slowCommand);
  const requests = Array.from({ length: slowCalls }, () => connection.toolRequest(call));
  connection.send(requests.map((request) => request.line).join(""));
  return new Set(requests.map((request) => request.id));
}

/** The ms of one cheap call. Replies of slow calls that come meanwhile are ticked off. */
function timeBeside(participant: Participant, connection: Connection, slow: Set<number>): number {
  const request = cheapRequest(participant, connection);
  const sentAtMs = nowMs();
  connection.send(request.line);
  for (;;) {
    const reply = connection.nextReply(sentAtMs + slowDeadlineMs);
    if (reply.failed) throw new Error(`the call failed: ${excerptOf(reply)}`);
    if (reply.id === request.id) return connection.lastReadAtMs - sentAtMs;
    slow.delete(reply.id);
  }
}
