import { parseOwnJson } from "../../base/own-value.ts";
import type { InputRequests } from "../../protocol/input-request.ts";
import type { CallRequest } from "../call.ts";
import { goneFault } from "./suspended-calls.ts";

/** The requests of a modern server in one round of a call, and the state that it sent with them. */
export interface UpstreamRound {
  /** Which server was asked for what. */
  readonly subject: string;
  readonly requests: InputRequests;
  /** That server's, byte for byte. */
  readonly requestState?: string;
}

const prefix = "upstream-round:";

/**
 * The rounds of a call that its client has returned, sealed in scorpiox-code's own state; the last one is to be answered.
 * @throws FaultError when they are of a different upstream server: an alias may have come to mean another tool meanwhile
 */
export function earlierRounds(
  { ask }: CallRequest,
  subject: () => string,
): readonly UpstreamRound[] {
  // Only this program can have sealed them.
  const rounds = (ask?.marksWith?.(prefix) ?? []).map((text) => parseOwnJson<UpstreamRound>(text));
  // Most calls have none, and are not to pay for the text.
  if (rounds.length === 0) return rounds;
  const wanted = subject();
  if (rounds.some((round) => round.subject !== wanted)) throw goneFault();
  return rounds;
}

/** Lets the next request of the client know of this round: nothing of it is kept here. */
export function keepRound({ ask }: CallRequest, round: UpstreamRound): void {
  if (ask?.endsCall === true) ask.mark?.(prefix + JSON.stringify(round));
}
