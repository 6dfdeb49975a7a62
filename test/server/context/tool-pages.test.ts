import { describe, expect, test } from "bun:test";
import { toolsPerPageMax } from "../../../src/base/limits.ts";
import { Changes, type ServerFeatures } from "../../../src/calls/features.ts";
import type { CacheHints } from "../../../src/protocol/list-parts.ts";
import type { ToolListing } from "../../../src/protocol/tool-types.ts";
import { ToolPages } from "../../../src/server/context/tool-pages.ts";

const client = {
  id: "c",
  limits: { answerMs: 0, resultCharsMax: 1 },
  workspaceDir: () => Promise.resolve("/"),
};

function tools(count: number): ToolListing[] {
  return Array.from({ length: count }, (_, number) => ({
    name: `t${number}`,
    description: "d",
    inputSchema: { type: "object" },
  }));
}

interface Listed {
  readonly tools: readonly { readonly name: string }[];
  readonly nextCursor?: string;
  readonly cacheScope?: string;
  readonly ttlMs?: number;
}

/** `listed` may be given another array while the pages live. */
function startPages(count: number, offered: Partial<ServerFeatures> = {}) {
  const state = { listed: tools(count) as readonly ToolListing[] };
  const router = { list: () => state.listed, call: () => Promise.reject(new Error("none")) };
  const toolPages = new ToolPages({
    tools: router,
    changes: new Changes(),
    changing: new Set(),
    ...offered,
  });
  const pages = {
    page: (...request: Parameters<ToolPages["page"]>): string | undefined => {
      const page = toolPages.page(...request);
      if (page instanceof Promise) throw new Error("the list is the same for all clients");
      return page;
    },
  };
  const decode = (json: string | undefined): Listed | undefined =>
    json === undefined ? undefined : (JSON.parse(json) as Listed);
  return { state, pages, decode };
}

describe("ToolPages", () => {
  test.each([
    [0, [0]],
    [toolsPerPageMax, [toolsPerPageMax]],
    [toolsPerPageMax + 1, [toolsPerPageMax, 1]],
    [2 * toolsPerPageMax, [toolsPerPageMax, toolsPerPageMax]],
  ])("%d tools make pages of %j", (count, sizes) => {
    const { pages, decode } = startPages(count);
    const seen: (number | undefined)[] = [];
    let cursor: string | undefined;
    do {
      const page = decode(pages.page("2025-11-25", client, cursor));
      seen.push(page?.tools.length);
      cursor = page?.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(sizes);
  });

  test("one page is encoded once for each revision, until there is another list", () => {
    const { state, pages, decode } = startPages(1);
    const first = pages.page("2025-11-25", client, undefined);
    expect(Object.is(pages.page("2025-11-25", client, undefined), first)).toBe(true);
    expect(pages.page("2026-07-28", client, undefined)).not.toBe(first);
    state.listed = tools(2);
    expect(decode(pages.page("2025-11-25", client, undefined))?.tools.length).toBe(2);
  });

  test("a cursor ends with its list", () => {
    const { state, pages, decode } = startPages(toolsPerPageMax + 1);
    const cursor = decode(pages.page("2025-11-25", client, undefined))?.nextCursor;
    state.listed = tools(toolsPerPageMax + 1);
    expect(decode(pages.page("2025-11-25", client, cursor))?.tools.length).toBe(1);
    state.listed = tools(toolsPerPageMax + 2);
    expect(pages.page("2025-11-25", client, cursor)).toBeUndefined();
  });

  test("hints are ours", () => {
    const { pages, decode } = startPages(1);
    const hints = { ttlMs: 300_000, cacheScope: "public" };
    expect(decode(pages.page("2026-07-28", client, undefined))).toMatchObject(hints);
  });

  test("what is joined from elsewhere may be kept no longer, and counts from when it is known", () => {
    const joined: { hints: CacheHints | undefined } = { hints: undefined };
    const { pages, decode } = startPages(1, { joinedHints: () => joined.hints });
    const hints = (): object => {
      const { ttlMs, cacheScope } = decode(pages.page("2026-07-28", client, undefined)) ?? {};
      return { ttlMs, cacheScope };
    };
    const own = { ttlMs: 300_000, cacheScope: "public" } as const;
    const given: CacheHints[] = [
      { ttlMs: 60_000, cacheScope: "public" },
      { ttlMs: 900_000, cacheScope: "private" },
      { ttlMs: 0, cacheScope: "private" },
    ];
    const seen = [undefined, ...given].map((each) => {
      joined.hints = each;
      return hints();
    });
    expect(seen).toEqual([own, given[0]!, { ttlMs: 300_000, cacheScope: "private" }, given[2]!]);
  });

  test("who may not use all tools sees a private list of the rest, on every page", () => {
    const { pages, decode } = startPages(toolsPerPageMax + 2);
    const restricted = { ...client, mayUse: (name: string) => name !== "t0" };
    const first = decode(pages.page("2026-07-28", restricted, undefined));
    const second = decode(pages.page("2026-07-28", restricted, first?.nextCursor));
    expect([first?.tools[0]?.name, first?.cacheScope]).toEqual(["t1", "private"]);
    expect([second?.tools.length, second?.cacheScope]).toEqual([1, "private"]);
    expect(pages.page("2026-07-28", client, first?.nextCursor)).toBeUndefined();
  });

  test("a router with a list for each client is asked for it, and each list is encoded once", async () => {
    const lists = new Map([
      ["a", tools(1)],
      ["b", tools(2)],
    ]);
    const router = {
      list: () => tools(0),
      listFor: ({ id }: { id: string }) => Promise.resolve(lists.get(id) ?? []),
      call: () => Promise.reject(new Error("none")),
    };
    const changing = new Set(["tools"] as const);
    const pages = new ToolPages({ tools: router, changes: new Changes(), changing });
    const page = async (id: string): Promise<string> =>
      (await pages.page("2026-07-28", { ...client, id }, undefined)) ?? "";
    const [a, b, again] = [await page("a"), await page("b"), await page("a")];
    expect([a, b].map((json) => (JSON.parse(json) as Listed).tools.length)).toEqual([1, 2]);
    expect(Object.is(a, again)).toBe(true);
    expect(JSON.parse(a)).toMatchObject({ ttlMs: 5_000, cacheScope: "private" });
  });
});
