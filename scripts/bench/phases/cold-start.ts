import { peakResidentMb, processorMs } from "../client/process-info.ts";
import type { Participant } from "../participant.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";

/** From the spawn to the answers of `initialize` and of `tools/list`. */
export const coldStart: Phase = (participants, settings) =>
  // The first round fills the page cache and is not counted.
  interleave("cold", participants, settings.coldStarts + 1, (participant, round) =>
    measureStart(participant, round > 0),
  );

function measureStart(participant: Participant, counted: boolean): void {
  using connection = participant.start();
  const initializeMs = connection.initialize();
  connection.call("tools/list");
  const toolsListMs = connection.lastReadAtMs - connection.spawnedAtMs;
  const peakMb = peakResidentMb(connection.pid);
  const livingMs = processorMs(connection.pid);
  // Reaping adds what children that have ended used; a process that does not wait for its children hides them.
  const startProcessorMs = Math.max(livingMs, connection.close());
  if (!counted) return;
  participant.record("initializeMs", initializeMs);
  participant.record("toolsListMs", toolsListMs);
  participant.record("startProcessorMs", startProcessorMs);
  participant.record("startPeakMb", peakMb);
}
