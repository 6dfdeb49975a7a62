import { downgradeForm } from "./elicitation-downgrade.ts";
import type {
  FormElicitation,
  InputRequest,
  InputRequests,
  UrlElicitation,
} from "./input-request.ts";
import { shapeSampling } from "./input-sampling.ts";
import type { Params } from "./json-rpc.ts";
import { isAtLeast, isModernVersion, type ProtocolVersion } from "./versions.ts";

/** A request to the client, as one revision writes it. */
export interface ShapedInputRequest {
  readonly method: InputRequest["method"];
  readonly params?: Params;
}

/** All requests of an `InputRequiredResult` or an MCP task, under their keys (docs/spec/modern.md#questions, docs/spec/modern.md#mcp-tasks). */
export function shapeInputRequests(
  requests: InputRequests,
  version: ProtocolVersion,
): Readonly<Record<string, ShapedInputRequest>> {
  const entries = Object.entries(requests);
  return Object.fromEntries(entries.map(([key, each]) => [key, shapeInputRequest(each, version)]));
}

/** Leaves out or converts parts that the revision does not know (SH8). */
export function shapeInputRequest(
  request: InputRequest,
  version: ProtocolVersion,
): ShapedInputRequest {
  switch (request.method) {
    case "roots/list":
      return { method: request.method };
    case "sampling/createMessage":
      return { method: request.method, params: shapeSampling(request.params, version) };
    case "elicitation/create":
      return { method: request.method, params: shapeElicitation(request, version) };
  }
}

/** Modern clients have no `elicitationId`: the round itself tells them that it is over. */
function shapeElicitation(
  { params }: FormElicitation | UrlElicitation,
  version: ProtocolVersion,
): Params {
  const { message } = params;
  if (params.mode === "url") {
    const { mode, url, elicitationId } = params;
    return isModernVersion(version)
      ? { mode, message, url }
      : { mode, message, url, elicitationId };
  }
  const { requestedSchema } = params;
  return isAtLeast(version, "2025-11-25")
    ? { mode: "form", message, requestedSchema }
    : { message, requestedSchema: downgradeForm(requestedSchema) };
}
