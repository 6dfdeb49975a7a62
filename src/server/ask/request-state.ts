import { AppError } from "../../base/errors.ts";
import { requestStateCharsMax, requestStateMsMax } from "../../base/limits.ts";
import { FaultError } from "../../calls/ask-client.ts";
import { canonicalJson } from "../../protocol/canonical-json.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { ActiveRequest, Round } from "../connection/active-request.ts";
import type { ServerContext } from "../context/server-context.ts";
import { sealOf } from "./state-seal.ts";

interface RequestState {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly rounds: readonly Round[];
  readonly marks?: readonly string[] | undefined;
}

/** @throws AppError `limit` when there is more than a client should have to carry */
export async function sealRounds(
  rounds: readonly Round[],
  request: ActiveRequest,
  server: ServerContext,
  now: number,
): Promise<string> {
  const state: RequestState = {
    expiresAt: now + requestStateMsMax,
    rounds,
    marks: request.marks,
  };
  const sealed = await sealOf(server).seal(JSON.stringify(state), purposeOf(request));
  if (sealed.length <= requestStateCharsMax) return sealed;
  const message = `The answers so far need ${sealed.length} characters of requestState, of ${requestStateCharsMax} at most.`;
  throw new AppError("limit", message);
}

/**
 * A returned `requestState` is attacker's input until it has been opened (docs/spec/modern.md#questions). Its marks become the request's.
 * @throws FaultError -32602 for a state that was not sealed for this client and these parameters, or has expired
 */
export async function openRounds(
  sealed: unknown,
  request: ActiveRequest,
  server: ServerContext,
  now: number,
): Promise<readonly Round[]> {
  if (typeof sealed !== "string") throw invalidState("requestState must be a string");
  const text = await sealOf(server).open(sealed, purposeOf(request));
  if (text === undefined) {
    throw invalidState(
      "requestState does not belong to this request, or was changed; send it back as it came, with the same parameters",
    );
  }
  // Only this program can have sealed it: its form is known.
  const { expiresAt, rounds, marks } = JSON.parse(text) as RequestState;
  if (now >= expiresAt) throw invalidState("requestState has expired; make the call again without");
  request.marks = marks;
  return rounds;
}

export function invalidState(message: string): FaultError {
  return new FaultError(createFault(errorCodes.invalidParams, `Invalid params: ${message}`));
}

/** The scope of a state: one client, one method, one set of parameters, which name the tool or prompt. */
function purposeOf({ version, method, params, client }: ActiveRequest): string {
  const { _meta, inputResponses: _, requestState: __, ...salient } = params ?? {};
  return canonicalJson([version, method, client.id, salient]);
}
