import { allowAgain, restrictTo } from "../client/affinity.ts";
import type { MetricId } from "../metrics.ts";
import { cheapRequest } from "../participant.ts";
import type { Participant } from "../participant.ts";
import type { Settings } from "../settings.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";
import type { PhaseName } from "./phase-names.ts";

const warmUpCalls = 300;
const pingsPerRound = 50;

interface CallMetrics {
  readonly cheap: MetricId;
  readonly ping: MetricId;
}

/** Round trip of the cheapest call and of `ping`, one at a time. */
export const calls: Phase = (participants, settings) =>
  measureCalls("calls", participants, settings, { cheap: "cheapUs", ping: "pingUs" });

/** The same where handing over to another thread wakes no other processor: what is left is work. */
export const callsOnOneProcessor: Phase = async (participants, settings) => {
  // A process stays where it has begun.
  for (const participant of participants) participant.close();
  const allowed = restrictTo(0);
  try {
    const metrics: CallMetrics = { cheap: "cheapOneUs", ping: "pingOneUs" };
    await measureCalls("one", participants, settings, metrics);
  } finally {
    allowAgain(allowed);
    for (const participant of participants) participant.close();
  }
};

async function measureCalls(
  phase: PhaseName,
  participants: readonly Participant[],
  settings: Settings,
  metrics: CallMetrics,
): Promise<void> {
  const callsPerRound = Math.ceil(settings.cheapCalls / settings.rounds);
  await interleave(phase, participants, 1, warmUp);
  await interleave(phase, participants, settings.rounds, (participant) =>
    measureRound(participant, callsPerRound, metrics),
  );
}

function warmUp(participant: Participant): void {
  const connection = participant.connection();
  for (let i = 0; i < warmUpCalls; i++) connection.time(cheapRequest(participant, connection));
}

function measureRound(participant: Participant, count: number, metrics: CallMetrics): void {
  const connection = participant.connection();
  for (let i = 0; i < count; i++) {
    const { ms } = connection.time(cheapRequest(participant, connection));
    participant.record(metrics.cheap, ms * 1000);
  }
  for (let i = 0; i < pingsPerRound; i++) {
    participant.record(metrics.ping, connection.time(connection.request("ping")).ms * 1000);
  }
}
