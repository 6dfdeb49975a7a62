import type { ClassifiedMessage } from "../../protocol/message.ts";

/** A notification that concerns requests at other replicas too. */
export function noticeIn(message: ClassifiedMessage): unknown {
  if (message.kind !== "notification") return undefined;
  const { method, params } = message;
  const isForAll =
    method === "notifications/cancelled" || method === "notifications/roots/list_changed";
  return isForAll
    ? { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) }
    : undefined;
}

/** The answer of a client to a request of a replica, which is named in its id. */
export function answerIn(
  message: ClassifiedMessage,
): { readonly to: string; readonly answer: unknown } | undefined {
  if (message.kind !== "response") return undefined;
  const { id, result, error } = message;
  const to = typeof id === "string" ? /^server-([a-z2-7]{10})-\d+$/.exec(id)?.[1] : undefined;
  if (to === undefined) return undefined;
  return { to, answer: { jsonrpc: "2.0", id, ...(error === undefined ? { result } : { error }) } };
}

/** A message, or a batch. */
export function oneOrAll(messages: readonly unknown[]): unknown {
  return messages.length === 1 ? messages[0] : messages;
}
