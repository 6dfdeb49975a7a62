import { watchedCharsMax, watchedResourcesMax } from "../../base/limits.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { featureOf } from "../context/feature-of.ts";
import {
  cancelledReply,
  invalidParams,
  type MethodReply,
  resultReply,
} from "../connection/method.ts";
import { charsOf } from "../subscriptions/listen-filter.ts";
import type { WatchedUris } from "../connection/watched-uris.ts";
import { readUriParam } from "./uri-param.ts";

const done = resultReply("{}");

/** `resources/subscribe`, legacy only: `notifications/resources/updated` follow in the session (docs/spec/legacy.md#sessions). */
export function handleResourcesSubscribe(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const param = readUriParam(request.params);
  if (param.kind === "refused") return param.reply;
  const { uri } = param;
  const asking = featureOf(connection, "resources").prepareWatch?.([uri], request.client);
  return (
    asking?.then(() => subscribe(uri, request, connection)) ?? subscribe(uri, request, connection)
  );
}

function subscribe(uri: string, request: ActiveRequest, connection: ServedConnection): MethodReply {
  // Whoever gave it up while another server was asked is not told of changes.
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
  const param = readUriParam(request.params);
  if (param.kind === "refused") return param.reply;
  connection.session.subscribedUris.delete(param.uri);
  return done;
}
