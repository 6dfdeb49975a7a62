import { isObject } from "../client/message.ts";
import type { HttpReply } from "./http-reply.ts";

const excerptCharsMax = 300;
const dataField = "data:";

/** The result that a reply holds. Throws when it is not the successful answer to the request `id`. */
export function checkReply(reply: HttpReply, id: number): Record<string, unknown> {
  const message: unknown = reply.status === 200 ? JSON.parse(messageIn(reply.body)) : undefined;
  if (!isObject(message) || message.id !== id || !isObject(message.result)) {
    throw new Error(`request ${id} was answered with ${excerptOf(reply)}`);
  }
  if (message.result.isError === true) throw new Error(`the call failed: ${excerptOf(reply)}`);
  return message.result;
}

/** The body itself, or the last event of a stream. */
function messageIn(body: string): string {
  if (body.startsWith("{")) return body;
  const events = body.split("\n").filter((line) => line.startsWith(dataField));
  return events.at(-1)?.slice(dataField.length) ?? body;
}

/** Throws when the reply does not take a notification (202) or end a session (200, 204). */
export function checkTaken(reply: HttpReply): void {
  if (reply.status >= 200 && reply.status < 300) return;
  throw new Error(`a message was refused with ${excerptOf(reply)}`);
}

function excerptOf({ status, body }: HttpReply): string {
  return `${status} ${body.slice(0, excerptCharsMax)}`;
}
