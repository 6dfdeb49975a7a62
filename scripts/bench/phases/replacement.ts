import { nowMs } from "../client/clock.ts";
import type { Connection } from "../client/connection.ts";
import { excerptOf, isObject } from "../client/message.ts";
import { faults, probe } from "../faults.ts";
import type { Fault } from "../faults.ts";
import type { Participant } from "../participant.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";

const faultTimeoutMs = 60_000;

/** From the end of a faulty call to the answer of a call that needs a Worker. */
export const replacement: Phase = async (participants, settings) => {
  const faulty = participants.filter((participant) => participant.name === "faulty");
  await interleave("replacement", faulty, 1, checkTools);
  for (const fault of faults) {
    await interleave("replacement", faulty, settings.replacements, (participant) => {
      const connection = participant.connection();
      connection.time(connection.toolRequest(probe));
      participant.record(fault.metric, measureFault(connection, fault));
    });
  }
};

/** Throws when the table of faults names a tool that the server does not have. */
function checkTools(participant: Participant): void {
  const reply = participant.connection().call("tools/list");
  const result = reply.body.result;
  const tools: unknown[] = isObject(result) && Array.isArray(result.tools) ? result.tools : [];
  const names = new Set(tools.map((tool) => (isObject(tool) ? tool.name : undefined)));
  for (const { name } of [probe, ...faults.map((fault) => fault.call)]) {
    if (!names.has(name)) throw new Error(`no tool ${name}: correct scripts/bench/faults.ts`);
  }
}

function measureFault(connection: Connection, fault: Fault): number {
  const request = connection.toolRequest(fault.call);
  const sentAtMs = nowMs();
  connection.send(request.line);
  const endedAtMs = awaitEnd(connection, fault, request.id, sentAtMs);
  const ready = connection.toolRequest(probe);
  connection.send(ready.line);
  const reply = connection.waitFor(ready.id, faultTimeoutMs);
  if (reply.failed) throw new Error(`no replacement: ${excerptOf(reply)}`);
  return connection.lastReadAtMs - endedAtMs;
}

/** Returns the moment from which the replacement is waited for. */
function awaitEnd(connection: Connection, { end }: Fault, id: number, sentAtMs: number): number {
  if (end.kind === "cancel") {
    Bun.sleepSync(end.afterMs);
    const cancelledAtMs = nowMs();
    // A cancelled request has no reply to wait for.
    connection.notify("notifications/cancelled", { requestId: id });
    return cancelledAtMs;
  }
  const deadlineMs = end.kind === "deadline" ? end.deadlineMs : 0;
  connection.waitFor(id, deadlineMs + faultTimeoutMs);
  return sentAtMs + deadlineMs;
}
