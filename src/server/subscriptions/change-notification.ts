import type { Change } from "../../calls/changes.ts";
import { metaKeys } from "../../protocol/envelope.ts";
import { encodeNotification, type Params, type RequestId } from "../../protocol/json-rpc.ts";

/** Changes with the same key say the same: one that waits stands for all of them. */
export function changeKey(change: Change): string {
  return change.kind === "resource" ? `resource ${change.uri}` : change.kind;
}

/** The notification of a change; `subscriptionId` is that of a modern subscription, with its JSON type. */
export function encodeChange(change: Change, subscriptionId?: RequestId): string {
  const tag =
    subscriptionId === undefined ? undefined : { _meta: subscriptionMeta(subscriptionId) };
  if (change.kind === "resource") {
    return encodeNotification("notifications/resources/updated", { ...tag, uri: change.uri });
  }
  return encodeNotification(`notifications/${change.kind}/list_changed`, tag);
}

/** `_meta` of every message of a subscription (docs/spec/modern.md#subscriptions). */
export function subscriptionMeta(id: RequestId): Params {
  return { [metaKeys.subscriptionId]: id };
}
