import { notCacheable } from "../../protocol/cache-hints.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import { encodeResourceContents } from "../../protocol/resources-codec.ts";
import { isModernVersion, type ProtocolVersion } from "../../protocol/versions.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { withRounds } from "../ask/with-rounds.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { featureOf } from "../context/feature-of.ts";
import { HandlerContext } from "./handler-context.ts";
import { faultReply, type MethodReply, resultReply } from "../connection/method.ts";
import { readUriParam } from "./uri-param.ts";

/** `resources/read`: checks the form of the URI; its provider knows what there is, and may ask the client. */
export function handleResourcesRead(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const param = readUriParam(request.params);
  if (param.kind === "refused") return param.reply;
  return withRounds(request, connection, () => read(param.uri, request, connection));
}

async function read(
  uri: string,
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const { version, params } = request;
  const context = new HandlerContext(request, connection);
  const reading = await featureOf(connection, "resources").read(uri, context);
  if (reading === undefined || reading.contents.length === 0) return notFound(uri, version);
  // What a client was asked for is no part of what a cache would know the result by (docs/spec/modern.md#caching).
  const isAnswer = params?.inputResponses !== undefined || params?.requestState !== undefined;
  const hints = isAnswer ? notCacheable : (reading.cacheHints ?? notCacheable);
  return resultReply(encodeResourceContents(reading.contents, version, hints));
}

/** Never empty contents; the code is that of the era (docs/spec/modern.md#resources-and-prompts, SH7). */
function notFound(uri: string, version: ProtocolVersion): MethodReply {
  const code = isModernVersion(version) ? errorCodes.invalidParams : errorCodes.resourceNotFound;
  return faultReply(createFault(code, "Resource not found", { uri }));
}
