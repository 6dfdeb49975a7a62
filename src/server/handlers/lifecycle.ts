import { encodeDiscoverResult, encodeInitializeResult } from "../../protocol/handshake-codec.ts";
import { isLogLevel, isRequestId, logLevels } from "../../protocol/json-rpc.ts";
import { claimsModernEra, metaOf, type NotificationMessage } from "../../protocol/message.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { invalidParams, type MethodReply, resultReply } from "../connection/replies.ts";
import { offeredCapabilities } from "../context/offered-capabilities.ts";
import type { ServedConnection } from "../context/server-context.ts";

/** Opens the legacy session. Never an error for the version that was asked for (docs/spec/legacy.md#which-era). */
export function handleInitialize(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply {
  const { server, session } = connection;
  const { features } = server;
  const version = session.begin(request.params);
  features.tools.meet?.(session.capabilities);
  // Changes that wait for an earlier session of this connection are not sent to this one.
  server.release(connection);
  const offered = { ...offeredCapabilities(features), channel: session.takesChannel };
  const instructions = server.instructionsFor(session.servers);
  return resultReply(encodeInitializeResult(version, { offered, instructions }));
}

/** `server/discover` (docs/spec/modern.md#discovery). */
export function handleDiscover(
  { asker }: ActiveRequest,
  { server }: ServedConnection,
): MethodReply {
  const { features } = server;
  features.tools.meet?.(asker.capabilities);
  const offered = offeredCapabilities(features);
  const instructions = server.instructionsFor(asker.client.servers);
  return resultReply(encodeDiscoverResult({ offered, instructions }));
}

/** Answers `server/discover` without envelope: an old client never sends it (docs/spec/legacy.md#which-era). */
export function handleDiscoverWithoutEnvelope(): MethodReply {
  return invalidParams(
    'params._meta must have "io.modelcontextprotocol/protocolVersion" and "io.modelcontextprotocol/clientCapabilities"',
  );
}

/**
 * Notifications are never answered; an unknown or malformed one is ignored (docs/spec/modern.md#notifications). Only cancelling exists
 * in both eras: one with a modern envelope does nothing to the session (docs/spec/legacy.md#which-era).
 */
export function handleNotification(
  message: NotificationMessage,
  connection: ServedConnection,
): void {
  if (message.method === "notifications/cancelled") return cancelRequest(message, connection);
  if (claimsModernEra(metaOf(message.params) ?? {})) return;
  switch (message.method) {
    case "notifications/initialized":
      connection.session.markInitialized();
      connection.server.admit(connection);
      return;
    case "notifications/roots/list_changed":
      connection.session.forgetRoots();
      connection.server.onRootsChanged(connection.session.legacyAsker(connection.outbox).client);
      return;
    default:
  }
}

/** Looked up among the requests of both eras. `initialize` is answered at once and so cannot be cancelled (docs/spec/legacy.md#sessions). */
function cancelRequest(message: NotificationMessage, connection: ServedConnection): void {
  const id = message.params?.requestId;
  if (isRequestId(id)) connection.inFlight.cancel(id);
}

const empty = resultReply("{}");

/** Answered at any time, also before `initialize` (docs/spec/legacy.md#sessions). */
export function handlePing(): MethodReply {
  return empty;
}

/** `logging/setLevel`, legacy only; the level is the session's (docs/spec/legacy.md#sessions). */
export function handleSetLogLevel(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply {
  const level = request.params?.level;
  if (!isLogLevel(level)) return invalidParams(`level must be one of ${logLevels.join(", ")}`);
  connection.session.setLogLevel(level);
  return resultReply("{}");
}
