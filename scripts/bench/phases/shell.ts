import { runPipelined } from "../client/pipelined.ts";
import { textOf } from "../client/message.ts";
import type { ToolCall } from "../client/message.ts";
import type { Participant } from "../participant.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";

const command = "echo hi";
const warmUpCalls = 5;
/** As many as a short conversation has. */
const firstCalls = 30;
const pauseMs = 20;
const callsAtOnce = 16;
const runsAtOnce = 3;
const callTimeoutMs = 40_000;
/** A server that takes seconds for a call still leaves the round to the others. */
const roundMsMax = 6000;

/** `echo hi` through the shell tool: by a fresh server, one after the other, each after a pause, then 16 at once. */
export const shell: Phase = async (participants, settings) => {
  const shells = participants.filter((participant) => participant.adapter.shell !== undefined);
  const callsPerRound = Math.ceil(settings.shellCalls / settings.rounds);
  await interleave("shell", shells, settings.shellStarts, measureFirst);
  await interleave("shell", shells, 1, warmUp);
  await interleave("shell", shells, settings.rounds, (participant) =>
    measureSequential(participant, callsPerRound),
  );
  const pausedPerRound = Math.ceil(settings.pausedShellCalls / settings.rounds);
  await interleave("shell", shells, settings.rounds, (participant) =>
    measurePaused(participant, pausedPerRound),
  );
  await interleave("shell", shells, runsAtOnce, (participant) =>
    measureAtOnce(participant, settings.shellCalls),
  );
};

function measureFirst(participant: Participant): void {
  using connection = participant.start();
  connection.initialize();
  connection.call("tools/list");
  for (let call = 0; call < firstCalls; call++) {
    const request = connection.toolRequest(shellCall(participant, command));
    participant.record("firstShellMs", connection.time(request, callTimeoutMs).ms);
  }
}

function warmUp(participant: Participant): void {
  const connection = participant.connection();
  for (let i = 0; i < warmUpCalls; i++) {
    const { reply } = connection.time(
      connection.toolRequest(shellCall(participant, command)),
      callTimeoutMs,
    );
    if (!textOf(reply).includes("hi")) throw new Error("the shell tool did not print the output");
  }
}

function measureSequential(participant: Participant, count: number): void {
  const connection = participant.connection();
  let spentMs = 0;
  for (let i = 0; i < count && spentMs < roundMsMax; i++) {
    const request = connection.toolRequest(shellCall(participant, command));
    const { ms } = connection.time(request, callTimeoutMs);
    participant.record("shellMs", ms);
    spentMs += ms;
  }
}

/** As an agent calls, that thinks in between: whatever has been prepared is there, but nothing is awake. */
function measurePaused(participant: Participant, count: number): void {
  const connection = participant.connection();
  for (let call = 0; call < count; call++) {
    Bun.sleepSync(pauseMs);
    const request = connection.toolRequest(shellCall(participant, command));
    participant.record("pausedShellMs", connection.time(request, callTimeoutMs).ms);
  }
}

function measureAtOnce(participant: Participant, count: number): void {
  const connection = participant.connection();
  const run = runPipelined(connection, count, callsAtOnce, () =>
    connection.toolRequest(shellCall(participant, command)),
  );
  participant.record("shell16PerSecond", run.callsPerSecond);
}

/** Throws for a server without a shell tool. */
export function shellCall(participant: Participant, command: string): ToolCall {
  if (participant.adapter.shell === undefined) throw new Error("no shell tool");
  return participant.adapter.shell(command);
}
