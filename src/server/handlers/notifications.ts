import type { NotificationMessage } from "../../protocol/classify.ts";
import { isRequestId } from "../../protocol/json-rpc.ts";
import type { Connection } from "../connection.ts";

/** Notifications are never answered; an unknown or malformed one is ignored (modern.md section 8). */
export function handleNotification(message: NotificationMessage, connection: Connection): void {
  switch (message.method) {
    case "notifications/cancelled":
      cancelRequest(message, connection);
      return;
    case "notifications/initialized":
      connection.session.markInitialized();
      connection.server.subscriptions.admit(connection);
      return;
    case "notifications/roots/list_changed":
      connection.session.forgetRoots();
      return;
    default:
  }
}

/** Looked up among the requests of both eras. `initialize` is answered at once and so cannot be cancelled (legacy.md section 4). */
function cancelRequest(message: NotificationMessage, connection: Connection): void {
  const id = message.params?.requestId;
  if (isRequestId(id)) connection.inFlight.cancel(id);
}
