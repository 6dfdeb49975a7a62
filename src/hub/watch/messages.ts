import { isObject } from "../../base/values.ts";
import { type HubStatus, readHubStatus, statusCharsMax } from "./hub-status.ts";

/**
 * Changes only when a message gets another meaning. A field or a message that is added does not change it: readers ignore fields
 * that they do not know, and a request that is not known is answered as such.
 */
const watchVersion = 1;

/** A message from a process that watches the hub. */
export type WatchRequest =
  | { readonly type: "status"; readonly id: number }
  /** End the hub and all that it owns; running kept tasks only with `endsKept`. */
  | { readonly type: "stop"; readonly id: number; readonly endsKept: boolean };

/** The hub's answer to one request, with the request's id. */
export type WatchReply =
  | { readonly type: "status"; readonly id: number; readonly status: HubStatus }
  /** It has begun to end; the link closes when it is done. */
  | { readonly type: "stopping"; readonly id: number }
  /** It goes on: so many kept tasks are running. */
  | { readonly type: "keeps"; readonly id: number; readonly running: number }
  | { readonly type: "failed"; readonly id: number; readonly reason: string }
  /** This hub has no such request. */
  | { readonly type: "unknown"; readonly id: number };

/** Far more than a request is. */
const requestCharsMax = 4_096;

export function encodeWatch(message: WatchRequest | WatchReply): string {
  return JSON.stringify({ version: watchVersion, ...message });
}

/** The request in a text: only its id when the type is not known, undefined for an invalid one. */
export function readWatchRequest(
  text: string,
): WatchRequest | { readonly type: "unknown"; readonly id: number } | undefined {
  const fields = text.length <= requestCharsMax ? parseObject(text) : undefined;
  const id = fields?.["id"];
  if (fields === undefined || !isId(id)) return undefined;
  if (fields["version"] !== watchVersion) return { type: "unknown", id };
  switch (fields["type"]) {
    case "status":
      return { type: "status", id };
    case "stop":
      return { type: "stop", id, endsKept: fields["endsKept"] === true };
    default:
      return { type: "unknown", id };
  }
}

/** The reply in a text; undefined for an invalid one. */
export function readWatchReply(text: string): WatchReply | undefined {
  const fields = text.length <= statusCharsMax ? parseObject(text) : undefined;
  const id = fields?.["id"];
  if (fields === undefined || !isId(id)) return undefined;
  if (fields["version"] !== watchVersion) return { type: "unknown", id };
  const { type, running, reason } = fields;
  switch (type) {
    case "status": {
      const status = readHubStatus(fields["status"]);
      return status === undefined ? undefined : { type, id, status };
    }
    case "keeps":
      return isId(running) ? { type, id, running } : undefined;
    case "failed":
      return typeof reason === "string" ? { type, id, reason: reason.slice(0, 500) } : undefined;
    case "stopping":
    case "unknown":
      return { type, id };
    default:
      return undefined;
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
