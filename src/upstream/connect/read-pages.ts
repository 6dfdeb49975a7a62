import {
  upstreamListItemsMax,
  upstreamListsBytesMax,
  upstreamPageMsMax,
  upstreamPagesMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { ConnectionError } from "./connection.ts";
import type { PeerReply } from "./read-reply.ts";

/** Sends one request for a page of a list. @throws ConnectionError */
export type AskPage = (params: Params, timeoutMs: number) => Promise<PeerReply>;

/** The common limits of all lists of one server. */
export interface ListBudget {
  bytesLeft: number;
  /** The deadline, on the clock of `performance.now()`. */
  readonly endsAt: number;
}

export interface Pages {
  readonly items: readonly unknown[];
  /** The reason why there may be more items; undefined when these are all. */
  readonly problem?: string;
  readonly ttlMs?: number;
  readonly isPrivate: boolean;
}

export function createListBudget(msMax: number): ListBudget {
  return { bytesLeft: upstreamListsBytesMax, endsAt: performance.now() + msMax };
}

/**
 * Follows a list to its end, or to a limit (CN5).
 * @param member of the result that has the items
 * @returns a fault when the first page was refused
 * @throws ConnectionError when the first page could not be fetched
 */
export async function readPages(
  member: string,
  ask: AskPage,
  budget: ListBudget,
): Promise<Pages | Extract<PeerReply, { kind: "fault" }>> {
  const items: unknown[] = [];
  const cursors = new Set<string>();
  const hints = new CacheHints();
  const end = (problem?: string): Pages => ({
    items,
    ...hints.read(),
    ...(problem ? { problem } : {}),
  });
  let params: Params = {};
  for (let page = 1; page <= upstreamPagesMax; page += 1) {
    const reply = await askNext(ask, params, page, budget);
    if (typeof reply === "string") return end(reply);
    if (reply.kind === "fault") {
      return page === 1 ? reply : end(`page ${page} was refused: ${reply.fault.message}`);
    }
    const { result } = reply;
    if (!isObject(result) || !Array.isArray(result[member])) {
      if (page === 1)
        throw new ConnectionError("protocol", `The server's answer has no \`${member}\`.`);
      return end(`page ${page} has no \`${member}\``);
    }
    hints.note(result);
    for (const item of result[member] as readonly unknown[]) {
      if (items.length === upstreamListItemsMax)
        return end(`it has more than ${upstreamListItemsMax} entries`);
      budget.bytesLeft -= JSON.stringify(item).length;
      if (budget.bytesLeft < 0)
        return end(`its lists are longer than ${upstreamListsBytesMax} bytes`);
      items.push(item);
    }
    const { nextCursor } = result;
    // An empty string is a cursor too.
    if (typeof nextCursor !== "string") return end();
    if (cursors.has(nextCursor)) return end("it names the same next page twice");
    cursors.add(nextCursor);
    params = { cursor: nextCursor };
  }
  return end(`it has more than ${upstreamPagesMax} pages`);
}

/** A text gives the reason for skipping the rest of the list. */
async function askNext(
  ask: AskPage,
  params: Params,
  page: number,
  { endsAt }: ListBudget,
): Promise<PeerReply | string> {
  const leftMs = endsAt - performance.now();
  if (leftMs <= 0 && page > 1) return "its lists take too long";
  try {
    return await ask(params, Math.max(1, Math.min(upstreamPageMsMax, leftMs)));
  } catch (error) {
    const isOfPage =
      error instanceof ConnectionError &&
      ["timeout", "too_large", "protocol"].includes(error.failure);
    if (page === 1 || !isOfPage) throw error;
    return `page ${page} cannot be fetched: ${error.message}`;
  }
}

/** The shortest time of all pages; one private page makes the whole list private. */
class CacheHints {
  #ttlMs: number | undefined;
  #isPrivate = false;

  note({ ttlMs, cacheScope }: Params): void {
    if (typeof ttlMs === "number" && ttlMs >= 0)
      this.#ttlMs = Math.min(this.#ttlMs ?? Infinity, ttlMs);
    if (cacheScope === "private") this.#isPrivate = true;
  }

  read(): Pick<Pages, "ttlMs" | "isPrivate"> {
    const isPrivate = this.#isPrivate;
    return this.#ttlMs === undefined ? { isPrivate } : { ttlMs: this.#ttlMs, isPrivate };
  }
}
