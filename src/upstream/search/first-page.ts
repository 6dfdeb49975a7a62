import { searchPerServerMax } from "../../base/upstream-limits.ts";

interface Item {
  readonly server: string;
  /** Undefined: all are equal. */
  readonly score?: number;
}

/**
 * The first `limit` of `ranked`, at most three of one server as long as others have something comparable: one large
 * server must not hide the rest, nor what nearly matches what matches.
 *
 * @param isMeant servers that the query names: of them as many as there are
 */
export function firstPage<Hit extends Item>(
  ranked: readonly Hit[],
  limit: number,
  isMeant: (server: string) => boolean,
): readonly Hit[] {
  const page: Hit[] = [];
  const passed: Hit[] = [];
  const counts = new Map<string, number>();
  for (const item of ranked) {
    // The best of those that were passed over comes first, when what is left is much worse.
    while (passed[0] !== undefined && page.length < limit && !isComparable(item, passed[0])) {
      page.push(...passed.splice(0, 1));
    }
    if (page.length === limit) return page;
    const count = counts.get(item.server) ?? 0;
    counts.set(item.server, count + 1);
    if (count < searchPerServerMax || isMeant(item.server)) page.push(item);
    else passed.push(item);
  }
  return [...page, ...passed].slice(0, limit);
}

/** Of the score of what is passed over, which another server's tool must have to come before it. */
const comparableShare = 0.7;

function isComparable({ score: own = 1 }: Item, { score: passed = 1 }: Item): boolean {
  return own >= passed * comparableShare;
}
