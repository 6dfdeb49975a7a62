import { upstreamQuestionsPerCallMax } from "../../base/upstream-limits.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import type { Era } from "./server-catalogue.ts";
import { ConnectionError, type ConnectionReply } from "./connection.ts";
import type { PeerReply } from "./pending-calls.ts";
import { readInputRequests } from "./read-input-request.ts";

/**
 * What a server answered to a call: its result whole, or what it wants to be answered first.
 * @throws ConnectionError for what can be neither
 */
export function readReply(reply: PeerReply, era: Era): ConnectionReply {
  if (reply.kind === "fault" || era === "legacy" || !isObject(reply.result)) return reply;
  const { resultType, ...result } = reply.result;
  if (resultType === undefined || resultType === "complete") return { kind: "result", result };
  if (resultType === "input_required") return readInputRequired(result);
  const shown = JSON.stringify(resultType).slice(0, 100);
  throw new ConnectionError(
    "protocol",
    `The server answered with a result of the unknown type ${shown}.`,
  );
}

function readInputRequired({ inputRequests, requestState }: Params): ConnectionReply {
  if (requestState !== undefined && typeof requestState !== "string") {
    throw new ConnectionError("protocol", "The server gave a `requestState` that is no text.");
  }
  const state = requestState === undefined ? {} : { requestState };
  // It may ask for nothing but to be asked again, which is no question to anybody.
  const isWait = inputRequests === undefined || (isObject(inputRequests) && isEmpty(inputRequests));
  if (isWait && requestState !== undefined)
    return { kind: "input-required", requests: {}, ...state };
  const requests = readInputRequests(inputRequests);
  if (requests === undefined) {
    throw new ConnectionError(
      "protocol",
      "The server asks for something that no client can be asked for.",
    );
  }
  if (Object.keys(requests).length > upstreamQuestionsPerCallMax) {
    const text = `The server asks more than ${upstreamQuestionsPerCallMax} questions at once.`;
    throw new ConnectionError("protocol", text);
  }
  return { kind: "input-required", requests, ...state };
}

function isEmpty(object: Params): boolean {
  return Object.keys(object).length === 0;
}
