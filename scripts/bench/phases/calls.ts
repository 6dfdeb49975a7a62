import { cheapRequest } from "../participant.ts";
import type { Participant } from "../participant.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";

const warmUpCalls = 300;
const pingsPerRound = 50;

/** Round trip of the cheapest call and of `ping`, one at a time. */
export const calls: Phase = async (participants, settings) => {
  const callsPerRound = Math.ceil(settings.cheapCalls / settings.rounds);
  await interleave("calls", participants, 1, warmUp);
  await interleave("calls", participants, settings.rounds, (participant) =>
    measureRound(participant, callsPerRound),
  );
};

function warmUp(participant: Participant): void {
  const connection = participant.connection();
  for (let i = 0; i < warmUpCalls; i++) connection.time(cheapRequest(participant, connection));
}

function measureRound(participant: Participant, count: number): void {
  const connection = participant.connection();
  for (let i = 0; i < count; i++) {
    const { ms } = connection.time(cheapRequest(participant, connection));
    participant.record("cheapUs", ms * 1000);
  }
  for (let i = 0; i < pingsPerRound; i++) {
    participant.record("pingUs", connection.time(connection.request("ping")).ms * 1000);
  }
}
