import { upstreamAsksMax } from "../../base/upstream-limits.ts";
import type { ServerRights } from "../../upstream/snapshot.ts";
import type { UpstreamCall, UpstreamReply } from "../../upstream/upstreams.ts";

/** A request to an upstream server. */
export interface ExchangeSpec extends Pick<UpstreamCall, "server" | "method" | "params"> {
  readonly rights: ServerRights;
  readonly resultCharsMax: number;
  readonly promisesStructure?: boolean;
}

/** How it ended. */
export type ExchangeEnd = Exclude<UpstreamReply, { kind: "input-required" }>;

/** The subject of a request: a request about another one must not get this server's answers. */
export function subjectOf({ server, method, params }: ExchangeSpec): string {
  return JSON.stringify([server, method, params.name, params.uri]);
}

/** It asks without end. */
export function tooManyAsks(server: string): ExchangeEnd {
  const text = `${server} asks the user again and again: the call was given up after ${upstreamAsksMax} questions.`;
  return { kind: "failed", text, reason: "malformed" };
}
