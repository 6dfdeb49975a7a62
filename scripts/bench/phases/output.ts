import { peakResidentMb, resetPeakResident } from "../client/process-info.ts";
import type { MetricId } from "../metrics.ts";
import type { Participant } from "../participant.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";
import { shellCall } from "./shell.ts";

const line = "0123456789abcdef".repeat(4).slice(0, -1);
const timeoutMs = 60_000;
const megabyte = 1_000_000;

interface Output {
  readonly bytes: number;
  readonly metric: MetricId;
  readonly peakMetric?: MetricId;
}

const oneMegabyte: Output = { bytes: megabyte, metric: "output1MbMs" };
const tenMegabytes: Output = {
  bytes: 10 * megabyte,
  metric: "output10MbMs",
  peakMetric: "output10MbPeakMb",
};

const hundredMegabytes: Output = {
  bytes: 100 * megabyte,
  metric: "output100MbMs",
  peakMetric: "output100MbPeakMb",
};

/** A command that prints 1, 10 or 100 MB, until its result has come whole. A server may cut the result; that is noted. */
export const output: Phase = async (participants, settings) => {
  const shells = participants.filter((participant) => participant.adapter.shell !== undefined);
  await interleave("output", shells, settings.output1MbCalls, (participant, round) =>
    measureOutput(participant, oneMegabyte, round),
  );
  await interleave("output", shells, settings.output10MbCalls, (participant, round) =>
    measureOutput(participant, tenMegabytes, round),
  );
  await interleave("output", shells, settings.output100MbCalls, (participant, round) =>
    measureOutput(participant, hundredMegabytes, round),
  );
};

function measureOutput(participant: Participant, wanted: Output, round: number): void {
  const connection = participant.connection();
  if (round === 0) resetPeakResident(connection.pid);
  const command = `yes ${line} | head -c ${wanted.bytes}`;
  const request = connection.toolRequest(shellCall(participant, command));
  const { ms, reply } = connection.time(request, timeoutMs);
  participant.record(wanted.metric, ms);
  if (wanted.peakMetric !== undefined) {
    participant.record(wanted.peakMetric, peakResidentMb(connection.pid));
  }
  if (round === 0 && reply.lineBytes < wanted.bytes) {
    const cutTo = `${reply.lineBytes} bytes`;
    participant.notes.push(`of ${wanted.bytes / megabyte} MB of output it shows ${cutTo}`);
  }
}
