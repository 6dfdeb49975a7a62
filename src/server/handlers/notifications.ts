import type { NotificationMessage } from "../../protocol/classify.ts";
import { claimsModernEra, metaOf } from "../../protocol/envelope.ts";
import { isRequestId } from "../../protocol/json-rpc.ts";
import type { ServedConnection } from "../context/server-context.ts";

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
