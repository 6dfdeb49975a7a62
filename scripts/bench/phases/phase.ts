import { messageOf } from "../../../src/base/errors.ts";
import type { Participant } from "../participant.ts";
import type { Settings } from "../settings.ts";
import type { PhaseName } from "./phase-names.ts";

/** Measures one thing of all `participants`, interleaved, and records it in them. */
export type Phase = (participants: readonly Participant[], settings: Settings) => Promise<void>;

/**
 * Runs `step` for each participant in turn, `rounds` times: whatever disturbs the machine disturbs all servers alike.
 * Round 0 is the first. A participant whose step throws leaves the phase with a note.
 */
export async function interleave(
  phase: PhaseName,
  participants: readonly Participant[],
  rounds: number,
  step: (participant: Participant, round: number) => void | Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const participant of participants) {
      if (!participant.takesPart(phase)) continue;
      try {
        await step(participant, round);
      } catch (error) {
        participant.fail(phase, messageOf(error));
        process.stderr.write(`  ! ${participant.name}: ${messageOf(error)}\n`);
      }
      // Most steps block; a signal to the bench is heard between them.
      await Bun.sleep(0);
    }
  }
}
