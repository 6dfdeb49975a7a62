import { isObject, type Params } from "../../protocol/json-rpc.ts";
import { isModernVersion } from "../../protocol/versions.ts";
import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { cancelledReply, type MethodReply } from "../method.ts";
import type { Round } from "./request-state.ts";

/** What a client that comes back brings along. */
export interface BroughtRounds {
  /** The last one is what the client was asked before it came back; empty when it brought no state. */
  readonly rounds: readonly Round[];
  /** `params.inputResponses`, unchecked. */
  readonly responses: Params;
  /** Milliseconds since 1970. */
  readonly arrivedAt: number;
}

type Run = () => MethodReply | Promise<MethodReply>;

/**
 * Runs a handler that may ask, after what the client has brought along was opened: a state that is not good
 * ends the request before anything is done (modern.md section 6). Costs nothing when it brought nothing.
 */
export function withRounds(
  request: ActiveRequest,
  connection: Connection,
  run: Run,
): MethodReply | Promise<MethodReply> {
  const { params, version } = request;
  // Legacy requests know neither: there the two are members like any other.
  const brought = params?.requestState !== undefined || params?.inputResponses !== undefined;
  return brought && isModernVersion(version) ? runLater(request, connection, run) : run();
}

async function runLater(
  request: ActiveRequest,
  { server }: Connection,
  run: Run,
): Promise<MethodReply> {
  const arrivedAt = Date.now();
  const { invalidState, openRounds } = await import("./request-state.ts");
  const { requestState, inputResponses: responses = {} } = request.params ?? {};
  if (!isObject(responses)) throw invalidState("inputResponses must be an object");
  const rounds =
    requestState === undefined ? [] : await openRounds(requestState, request, server, arrivedAt);
  if (request.isCancelled) return cancelledReply;
  request.brought = { rounds, responses, arrivedAt };
  return run();
}
