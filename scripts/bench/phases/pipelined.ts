import { runPipelined } from "../client/pipelined.ts";
import { cheapRequest } from "../participant.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";

const callsInFlight = 64;
/** The first is the warm-up. */
const runs = 4;

/** Cheap calls a second with 64 in flight. */
export const pipelined: Phase = (participants, settings) =>
  interleave("pipelined", participants, runs, (participant, round) => {
    const connection = participant.connection();
    const createRequest = (): ReturnType<typeof cheapRequest> =>
      cheapRequest(participant, connection);
    const run = runPipelined(connection, settings.pipelinedCalls, callsInFlight, createRequest);
    if (round > 0) participant.record("pipelinedPerSecond", run.callsPerSecond);
  });
