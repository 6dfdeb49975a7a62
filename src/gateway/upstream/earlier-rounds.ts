import { isObject } from "../../protocol/json-rpc.ts";
import type { InputRequests } from "../../protocol/input-request.ts";
import type { CallRequest } from "../call.ts";

/** What a server of the stateless era asked in one round of a call, and the state that it gave along. */
export interface UpstreamRound {
  readonly requests: InputRequests;
  /** That server's, byte for byte. */
  readonly requestState?: string;
}

const prefix = "upstream-round:";

/** The rounds of a call that its client has brought back, sealed in our own state; the last one is to be answered. */
export function earlierRounds({ ask }: CallRequest): readonly UpstreamRound[] {
  return (ask?.marksWith?.(prefix) ?? []).flatMap((text) => {
    const round: unknown = JSON.parse(text);
    // Only this program can have sealed it.
    return isObject(round) ? [round as unknown as UpstreamRound] : [];
  });
}

/** Lets the next request of the client know of this round: nothing of it is kept here. */
export function keepRound({ ask }: CallRequest, round: UpstreamRound): void {
  if (ask?.endsCall === true) ask.mark?.(prefix + JSON.stringify(round));
}
