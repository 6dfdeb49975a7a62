import { upstreamAsksMax } from "../../base/upstream-limits.ts";
import type { ServerRights } from "../../upstream/snapshot.ts";
import type { UpstreamCall, UpstreamReply } from "../../upstream/upstreams.ts";

/** What a server is asked for. */
export interface ExchangeSpec extends Pick<UpstreamCall, "server" | "method" | "params"> {
  readonly rights: ServerRights;
  readonly resultCharsMax: number;
  readonly promisesStructure?: boolean;
}

/** How it ended. */
export type ExchangeEnd = Exclude<UpstreamReply, { kind: "input-required" }>;

/** What a request is about: another one must not get what this server has said. */
export function subjectOf({ server, method, params }: ExchangeSpec): string {
  return JSON.stringify([server, method, params.name, params.uri]);
}

/** It asks without end. */
export function tooManyAsks(server: string): ExchangeEnd {
  const text = `${server} asks the user again and again: the call was given up after ${upstreamAsksMax} questions.`;
  return { kind: "failed", text, reason: "malformed" };
}
