import { canBeAsked, type InputKind } from "../../protocol/input-request.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import { isModernVersion } from "../../protocol/message.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { cancelledReply, type MethodReply } from "../connection/method.ts";
import type { ServedConnection } from "../context/server-context.ts";

type Run = () => MethodReply | Promise<MethodReply>;

/**
 * Runs a handler that may ask, after what the client has brought along was opened: a state that is not good
 * ends the request before anything is done (docs/spec/modern.md#questions). Costs nothing when it brought nothing.
 */
export function withRounds(
  request: ActiveRequest,
  connection: ServedConnection,
  run: Run,
): MethodReply | Promise<MethodReply> {
  const { params, version } = request;
  // Legacy requests know neither: there the two are members like any other.
  const brought = params?.requestState !== undefined || params?.inputResponses !== undefined;
  return brought && isModernVersion(version) ? runLater(request, connection, run) : run();
}

async function runLater(
  request: ActiveRequest,
  { server }: ServedConnection,
  run: Run,
): Promise<MethodReply> {
  const arrivedAt = Date.now();
  const { invalidState, openRounds } = await import("./state-seal.ts");
  const { requestState, inputResponses: responses = {} } = request.params ?? {};
  if (!isObject(responses)) throw invalidState("inputResponses must be an object");
  const rounds =
    requestState === undefined ? [] : await openRounds(requestState, request, server, arrivedAt);
  if (request.isCancelled) return cancelledReply;
  request.brought = { rounds, responses, arrivedAt };
  return run();
}

/** Only what was declared; a legacy client not before it is initialized (docs/spec/legacy.md#sessions). */
export function mayAsk(
  { version, asker }: ActiveRequest,
  { session }: ServedConnection,
  kind: InputKind,
): boolean {
  return (
    (isModernVersion(version) || session.isInitialized) && canBeAsked(asker.capabilities, kind)
  );
}
