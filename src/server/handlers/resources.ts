import { watchedCharsMax, watchedResourcesMax } from "../../base/limits.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import { notCacheable } from "../../protocol/list-parts.ts";
import { isModernVersion, type ProtocolVersion } from "../../protocol/message.ts";
import { uriProblem } from "../../protocol/resource-types.ts";
import {
  encodeResourceContents,
  encodeResourcesList,
  encodeResourceTemplatesList,
} from "../../protocol/resources-codec.ts";
import { encodeSkill, encodeSkillsList } from "../../protocol/skills.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import {
  badParams,
  cancelledReply,
  faultReply,
  invalidParams,
  type MethodReply,
  resultReply,
} from "../connection/replies.ts";
import type { WatchedUris } from "../connection/session.ts";
import { listCacheHints } from "../context/list-cache-hints.ts";
import { featureOf, type ServedConnection } from "../context/server-context.ts";
import { charsOf } from "../subscriptions/subscription.ts";
import { HandlerContext, pageReply, withRounds } from "./handler-context.ts";

/** `params.uri`. @throws FaultError -32602 when its form is bad (docs/spec/modern.md#resources-and-prompts) */
function uriOf({ params }: ActiveRequest): string {
  const uri = params?.uri;
  const problem = uriProblem(uri);
  if (typeof uri === "string" && problem === undefined) return uri;
  throw badParams(`uri ${problem}`);
}

/** `resources/list` (docs/spec/modern.md#resources-and-prompts). */
export async function handleResourcesList(
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const entries = await featureOf(connection, "resources").list(request.client);
  const hints = listCacheHints(connection.server.features, "resources", request.client);
  return pageReply(request, { name: "resources", entries, keyOf: ({ uri }) => uri }, (page) =>
    encodeResourcesList(page, request.version, hints),
  );
}

/** `resources/templates/list` (docs/spec/modern.md#resources-and-prompts). */
export async function handleResourceTemplatesList(
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const entries = await featureOf(connection, "resources").templates(request.client);
  const hints = listCacheHints(connection.server.features, "resources", request.client);
  return pageReply(
    request,
    { name: "templates", entries, keyOf: ({ uriTemplate }) => uriTemplate },
    (page) => encodeResourceTemplatesList(page, request.version, hints),
  );
}

/** `resources/read`: checks the form of the URI; its provider knows what there is, and may ask the client. */
export function handleResourcesRead(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const uri = uriOf(request);
  return withRounds(request, connection, () => read(uri, request, connection));
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
  // A cache would not know the result by the answers of a client (docs/spec/modern.md#caching).
  const isAnswer = params?.inputResponses !== undefined || params?.requestState !== undefined;
  const hints = isAnswer ? notCacheable : (reading.cacheHints ?? notCacheable);
  return resultReply(encodeResourceContents(reading.contents, version, hints));
}

/** Never empty contents; the code is that of the era (docs/spec/modern.md#resources-and-prompts, SH7). */
function notFound(uri: string, version: ProtocolVersion): MethodReply {
  const code = isModernVersion(version) ? errorCodes.invalidParams : errorCodes.resourceNotFound;
  return faultReply(createFault(code, "Resource not found", { uri }));
}

const done = resultReply("{}");

/** `resources/subscribe`, legacy only: `notifications/resources/updated` follow in the session (docs/spec/legacy.md#sessions). */
export function handleResourcesSubscribe(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const uri = uriOf(request);
  const asking = featureOf(connection, "resources").prepareWatch?.([uri], request.client);
  return (
    asking?.then(() => subscribe(uri, request, connection)) ?? subscribe(uri, request, connection)
  );
}

function subscribe(uri: string, request: ActiveRequest, connection: ServedConnection): MethodReply {
  // A client that gave it up while an upstream server was asked is not notified of changes.
  if (request.isCancelled) return cancelledReply;
  const resources = featureOf(connection, "resources");
  if (!resources.canSubscribe(uri, request.client)) {
    return invalidParams("uri names nothing that changes: there is nothing to subscribe to", {
      uri,
    });
  }
  const { subscribedUris } = connection.session;
  if (!subscribedUris.has(uri) && !hasRoom(subscribedUris, uri)) {
    return invalidParams(
      `${subscribedUris.size} resources are subscribed to, and there is no room for more: unsubscribe from one`,
    );
  }
  subscribedUris.add(uri, () => resources.watch?.(uri, request.client) ?? nothingToEnd);
  return done;
}

function nothingToEnd(): void {}

function hasRoom(subscribedUris: WatchedUris, uri: string): boolean {
  if (subscribedUris.size >= watchedResourcesMax) return false;
  return charsOf(subscribedUris) + uri.length <= watchedCharsMax;
}

/** `resources/unsubscribe`, legacy only; unsubscribing without a subscription is not an error. */
export function handleResourcesUnsubscribe(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply {
  connection.session.subscribedUris.delete(uriOf(request));
  return done;
}

/** `resources/directory/read` of the skills extension: direct children, page by page (docs/spec/modern.md#skills). */
export async function handleResourcesDirectoryRead(
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const uri = uriOf(request);
  const entries = await featureOf(connection, "skills").directory(uri, request.client);
  if (entries === undefined) return invalidParams("uri names no directory", { uri });
  const hints = listCacheHints(connection.server.features, "skills", request.client);
  return pageReply(request, { name: "directory", entries, keyOf: ({ uri }) => uri }, (page) =>
    encodeResourcesList(page, request.version, hints),
  );
}

/** `skills/list` of the skills extension (docs/spec/modern.md#skills). */
export async function handleSkillsList(
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const entries = await featureOf(connection, "skills").list(request.client);
  const hints = listCacheHints(connection.server.features, "skills", request.client);
  return pageReply(request, { name: "skills", entries, keyOf: ({ uri }) => uri }, (page) =>
    encodeSkillsList(page, request.version, hints),
  );
}

/** `skills/get` of the skills extension: one entry of the list, by the URI of its `SKILL.md` (docs/spec/modern.md#skills). */
export async function handleSkillsGet(
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const uri = uriOf(request);
  const skills = await featureOf(connection, "skills").list(request.client);
  const skill = skills.find((entry) => entry.uri === uri);
  if (skill === undefined) return invalidParams("uri names no skill", { uri });
  const hints = listCacheHints(connection.server.features, "skills", request.client);
  return resultReply(encodeSkill(skill, request.version, hints));
}
