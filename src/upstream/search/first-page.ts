import { searchPerServerMax } from "../../base/limits.ts";

/**
 * The first `limit` of `ranked`, at most three of one server as long as there are others: one large server must not
 * hide the rest. What was passed over comes after them, where there is room.
 *
 * @param isMeant servers that the query names: of them as many as there are
 */
export function firstPage<Item extends { readonly server: string }>(
  ranked: readonly Item[],
  limit: number,
  isMeant: (server: string) => boolean,
): readonly Item[] {
  const page: Item[] = [];
  const passed: Item[] = [];
  const counts = new Map<string, number>();
  for (const item of ranked) {
    if (page.length === limit) return page;
    const count = counts.get(item.server) ?? 0;
    counts.set(item.server, count + 1);
    if (count < searchPerServerMax || isMeant(item.server)) page.push(item);
    else passed.push(item);
  }
  return [...page, ...passed].slice(0, limit);
}
