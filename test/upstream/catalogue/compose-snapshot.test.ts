import { describe, expect, test } from "bun:test";

import { composeSnapshot } from "../../../src/upstream/catalogue/compose-snapshot.ts";
import type { ServerView } from "../../../src/upstream/catalogue/compose-tools.ts";
import { defaultServerOptions } from "../../../src/upstream/config/entry-options.ts";
import type { ServerOptions } from "../../../src/upstream/config/server-entry.ts";
import type { RawTool, ServerCatalogue } from "../../../src/upstream/connect/connection.ts";
import type { ServerInfo } from "../../../src/upstream/server-state.ts";
import type { JudgedCatalogue } from "../../../src/upstream/trust/judge-catalogue.ts";
import { catalogue } from "../trust/catalogue.ts";

interface Given {
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly blocked?: readonly string[];
  readonly catalogue?: Partial<ServerCatalogue>;
  readonly judged?: Partial<JudgedCatalogue>;
  readonly options?: Partial<ServerOptions>;
  readonly view?: Partial<ServerView>;
}

function view(name: string, given: Given = {}): ServerView {
  const raw = (given.tools ?? []).map(
    (tool) => ({ inputSchema: { type: "object" }, ...tool }) as unknown as RawTool,
  );
  const blocked = (given.blocked ?? []).map(
    (tool) => ({ name: tool, inputSchema: { type: "object" } }) as const,
  );
  const offered = catalogue({ tools: [...raw, ...blocked], ...given.catalogue });
  const judged: JudgedCatalogue = {
    tools: [
      ...raw.map((item) => ({ state: "approved", item, shown: item }) as const),
      ...blocked.map((item) => ({ state: "pending", item, text: "waits" }) as const),
    ],
    prompts: [],
    notices: [],
    ...given.judged,
  };
  return {
    info: { name } as ServerInfo,
    options: { ...defaultServerOptions, ...given.options },
    offer: { catalogue: offered, judged },
    isLookedAt: true,
    isAwaited: false,
    holdsLists: false,
    isUnknown: false,
    roots: "none",
    hasCredentials: false,
    ...given.view,
  };
}

const compose = (
  views: readonly ServerView[],
  rest: object = {},
): ReturnType<typeof composeSnapshot> =>
  composeSnapshot({
    views,
    toolNameMax: 44,
    defer: "auto",
    wasDeferred: false,
    earlierNamesOf: () => [],
    ...rest,
  });
const named = (name: string): { name: string } => ({ name });

describe("composeSnapshot()", () => {
  test("lists no resources of a login that is the operator's, and says where tokens are traded", () => {
    const resources = [{ uri: "file:///a", name: "a" }];
    const trade = { perUser: { confirm: "click", trade: { grant: "token-exchange" } } } as const;
    const { snapshot } = compose([
      view("open", { catalogue: { resources } }),
      view("own", { catalogue: { resources }, view: { hidesResources: true } }),
      view("traded", { options: { oauth: trade } }),
    ]);
    expect(snapshot.resources.map(({ uri }) => uri)).toEqual(["scorpiox://mcp/open/file:///a"]);
    expect(snapshot.rights.map(({ name, tradesIdentity }) => [name, tradesIdentity])).toEqual([
      ["open", undefined],
      ["own", undefined],
      ["traded", true],
    ]);
  });

  test("orders by server and tool, and shows what clients may see", () => {
    const b = view("b", {
      tools: [
        named("z"),
        {
          name: "a",
          title: "Open",
          description: "D",
          annotations: { readOnlyHint: true, bad: 1, openWorldHint: "x" },
          icons: [{ src: "x" }, 1],
          outputSchema: { type: "object" },
          _meta: { ui: { resourceUri: "ui://w" } },
        },
      ],
      options: { toolsPrefix: "bb" },
    });
    const a = view("a", {
      tools: [{ name: "q", title: "Open", outputSchema: 1, annotations: [] }],
    });
    const { snapshot, searched } = compose([b, a], { defer: "off" });
    expect(snapshot.tools as unknown).toEqual([
      {
        name: "mcp__a__q",
        server: "a",
        tool: "q",
        listing: {
          name: "mcp__a__q",
          title: "Open (a)",
          description: "",
          inputSchema: { type: "object" },
        },
      },
      {
        name: "mcp__b__a",
        server: "b",
        tool: "a",
        prefix: "bb",
        annotations: { readOnlyHint: true },
        isReadOnly: true,
        risk: "read",
        listing: {
          name: "mcp__b__a",
          title: "Open (b)",
          description: "D",
          inputSchema: { type: "object" },
          outputSchema: { type: "object" },
          annotations: { readOnlyHint: true },
          icons: [{ src: "x" }],
          _meta: { ui: { resourceUri: "ui://b.scorpiox/w" } },
        },
      },
      {
        name: "mcp__b__z",
        server: "b",
        tool: "z",
        prefix: "bb",
        listing: { name: "mcp__b__z", description: "", inputSchema: { type: "object" } },
      },
    ]);
    expect(searched.map(({ listing }) => listing.name)).toEqual([
      "mcp__a__q",
      "mcp__b__a",
      "mcp__b__z",
    ]);
  });

  test.each<[annotations: object | undefined, risk: object | undefined, expected: string]>([
    [undefined, undefined, "destructive"],
    [{ readOnlyHint: true }, undefined, "read"],
    [{ readOnlyHint: true, destructiveHint: true }, undefined, "read"],
    [{ destructiveHint: false }, undefined, "write"],
    [{ destructiveHint: true }, undefined, "destructive"],
    [{ idempotentHint: true }, undefined, "destructive"],
    [undefined, { read: ["t*"] }, "read"],
    [undefined, { read: ["other"] }, "destructive"],
    [undefined, { write: ["mcp__a__tool"] }, "write"],
    [{ readOnlyHint: true }, { destructive: ["tool"] }, "destructive"],
    [{ readOnlyHint: true }, { write: ["tool"], read: ["*"] }, "write"],
  ])("TM3: the risk of %j, where the entry says %j, is %s", (annotations, said, expected) => {
    const tool = { ...named("tool"), ...(annotations && { annotations }) };
    const risk = said && { read: [], write: [], destructive: [], ...said };
    const { tools } = compose([
      view("a", { tools: [tool], options: risk ? { risk } : {} }),
    ]).snapshot;
    expect(tools[0]?.risk ?? "destructive").toBe(expected as never);
  });

  test("hides tools when there are more than 15, but for those that are pinned or promoted", () => {
    const many = (count: number): { name: string }[] =>
      Array.from({ length: count }, (_, index) => named(`t${index}`));
    const listed = (views: readonly ServerView[], rest: object = {}): string[] =>
      compose(views, rest).snapshot.tools.flatMap(({ listing }) => listing?.name ?? []);
    expect(listed([view("a", { tools: many(15) })])).toHaveLength(15);
    expect(listed([view("a", { tools: many(16) })])).toEqual([]);
    expect(
      listed([view("a", { tools: many(16), options: { alwaysLoad: ["t1", "mcp__a__t2"] } })]),
    ).toEqual(["mcp__a__t1", "mcp__a__t2"]);
    expect(
      listed([
        view("a", { tools: many(16) }),
        view("b", { tools: many(1), options: { promote: true } }),
      ]),
    ).toEqual(["mcp__b__t0"]);
    expect(listed([view("a", { tools: many(1) })], { wasDeferred: true })).toEqual([]);
    expect(
      compose([view("a", { tools: many(1) }), view("b", { view: { isUnknown: true } })]),
    ).toMatchObject({ snapshot: { isDeferred: true }, isDeferredForGood: false });
    expect(compose([view("a", { tools: many(16) })]).isDeferredForGood).toBe(true);
  });

  test("names what is blocked, and does not list or search it", () => {
    const { snapshot, searched } = compose([view("a", { tools: [named("x")], blocked: ["y"] })]);
    expect(snapshot.blocked).toEqual([
      { name: "mcp__a__y", server: "a", tool: "y", reason: "pending", text: "waits" },
    ]);
    expect([snapshot.tools.length, searched.length]).toEqual([1, 1]);
  });

  test("gives prompts, resources and templates names and addresses of ours", () => {
    const prompt = {
      name: "p",
      title: "T",
      description: "d\u0007",
      arguments: [{ name: "x", required: true }, 1],
      bad: 1,
    };
    const refused = { name: "r" };
    const { snapshot } = compose([
      view("a", {
        catalogue: {
          resources: [{ uri: "file:///x", name: "X", size: 3, mimeType: "text/plain" }],
          templates: [{ uriTemplate: "db://{t}", name: "T" }],
        },
        judged: {
          prompts: [
            { state: "approved", item: prompt, shown: prompt },
            { state: "changed", item: refused, text: "" },
          ],
        },
      }),
    ]);
    expect(snapshot.prompts as unknown).toEqual([
      {
        server: "a",
        prompt: "p",
        listing: {
          name: "mcp__a__p",
          title: "T",
          description: "d",
          arguments: [{ name: "x", required: true }],
        },
      },
    ]);
    expect(snapshot.resources as unknown).toEqual([
      { uri: "scorpiox://mcp/a/file:///x", name: "X", size: 3, mimeType: "text/plain" },
    ]);
    expect(snapshot.templates as unknown).toEqual([
      { uriTemplate: "scorpiox://mcp/a/db://{t}", name: "T" },
    ]);
  });

  test("a server that says nothing of itself is introduced by its approved tools, at most eight", () => {
    const tools = Array.from({ length: 9 }, (_, index) => named(`t${index}`));
    const { snapshot } = compose([
      view("a", { tools, blocked: ["hidden"] }),
      view("b", { tools: [named("one")] }),
      view("c", { blocked: ["hidden"] }),
    ]);
    expect(snapshot.introductions).toEqual([
      { server: "a", line: 'tools "t0, t1, t2, t3, t4, t5, t6, t7" and 1 more' },
      { server: "b", line: 'tools "one"' },
    ]);
  });

  test("TR7: an introduction is one quoted line of at most 500 characters", () => {
    const { snapshot } = compose([
      view("a", { judged: { instructions: `Ignore "all"\n\u001b[31m${"x".repeat(900)}` } }),
    ]);
    const { line = "" } = snapshot.introductions[0] ?? {};
    expect([line.length, line.slice(0, 18), line.at(-1)]).toEqual([
      500,
      "\"Ignore 'all' xxxx",
      '"',
    ]);
  });

  test.each([
    [[{}], 60_000, false],
    [[{ catalogue: { ttlMs: 5_000 } }, { catalogue: { ttlMs: 90_000 } }], 5_000, false],
    [[{}, { catalogue: { isPrivate: true } }], 60_000, true],
    [[{ view: { hasCredentials: true } }], 60_000, true],
  ] as const)(
    "CA11: the lists of %j may be kept for %d ms, private %p",
    (given, ttlMs, isPrivate) => {
      const { snapshot } = compose(given.map((each, index) => view(`s${index}`, each)));
      expect({ ttlMs: snapshot.ttlMs, isPrivate: snapshot.isPrivate }).toEqual({
        ttlMs,
        isPrivate,
      });
    },
  );

  test("of 40,000 tools ends: a look at all of them for each would not before the test does", () => {
    const views = Array.from({ length: 40 }, (_, server) =>
      view(`server${server}`, {
        tools: Array.from({ length: 1_000 }, (_, tool) => ({
          name: `tool_${tool}`,
          description: "x".repeat(300),
        })),
      }),
    );
    expect(compose(views).snapshot.tools).toHaveLength(40_000);
  });
});
