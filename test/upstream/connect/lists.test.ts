import { describe, expect, test } from "bun:test";

import type { ServerCatalogue } from "../../../src/upstream/connect/connection.ts";
import type { Greeting } from "../../../src/upstream/connect/handshake.ts";
import { readLists, readTool } from "../../../src/upstream/connect/read-lists.ts";
import type { UpstreamScript } from "../../fixtures/upstream/script.ts";
import { openScripted, toolCall, type Transport, until } from "./open-scripted.ts";

const object = { type: "object" } as const;

async function catalogueOf(script: UpstreamScript): Promise<ServerCatalogue> {
  await using opened = await openScripted("stdio", script);
  return await opened.connection.readCatalogue(new AbortController().signal);
}

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 1; level < levels; level += 1) value = { properties: value };
  return value;
}

describe("readCatalogue()", () => {
  test("says what the server says of itself", async () => {
    const { tools, prompts, resources, templates, ...said } = await catalogueOf({
      name: "n",
      version: "2",
      instructions: "do it",
      ttlMs: 5_000,
      cacheScope: "private",
      tools: ["echo"],
    });
    expect(said).toMatchObject({
      era: "modern",
      protocolVersion: "2026-07-28",
      serverInfo: { name: "n", version: "2" },
      instructions: "do it",
      ttlMs: 5_000,
      isPrivate: true,
      problems: [],
    });
    expect([tools.length, prompts.length, resources.length, templates.length]).toEqual([
      1, 2, 2, 1,
    ]);
  });

  test("follows all pages", async () => {
    const { tools, problems } = await catalogueOf({ tools: 250, pageSize: 7, era: "legacy" });
    expect({ count: tools.length, last: tools.at(-1)?.name, problems }).toEqual({
      count: 250,
      last: "tool_249",
      problems: [],
    });
  });

  test.each<[string, UpstreamScript, number, RegExp]>([
    ["2 000 tools", { tools: 2_001 }, 2_000, /tools\/list is not complete: it has more than 2000/],
    [
      "100 pages",
      { tools: 300, pageSize: 2 },
      200,
      /tools\/list is not complete: it has more than 100 pages/,
    ],
    [
      "a page that is named twice",
      { tools: 4, cursor: "2", pageSize: 2 },
      4,
      /same next page twice/,
    ],
    [
      "an empty cursor is a cursor",
      { tools: 4, cursor: "", pageSize: 2 },
      2,
      /same next page twice/,
    ],
  ])("stops at %s", async (_, script, count, problem) => {
    const { tools, problems } = await catalogueOf(script);
    // The script's cursor is that of its other lists too.
    expect([tools.length, problems[0] ?? ""]).toEqual([count, expect.stringMatching(problem)]);
  });

  test("a prompt has a name as long as a tool's may be", async () => {
    const names = ["x".repeat(128), "y".repeat(129)];
    const greeting = { era: "modern", capabilities: { prompts: {} } } as unknown as Greeting;
    const { prompts, problems } = await readLists(greeting, () => () => {
      const result = { prompts: names.map((name) => ({ name })) };
      return Promise.resolve({ kind: "result", result });
    });
    expect(prompts.map(({ name }) => name)).toEqual(names.slice(0, 1));
    expect(problems).toEqual(["The name of a prompt is longer than 128 characters."]);
  });

  test("what is malformed is left out alone", async () => {
    const good = { name: "good", inputSchema: { type: "object" } };
    const tools = [{ name: 7 }, good, { name: "bare" }, { ...good, name: "x".repeat(129) }, good];
    const catalogue = await catalogueOf({ tools });
    expect(catalogue.tools).toEqual([good] as never);
    expect(catalogue.problems.length).toBe(4);
  });

  test.each<[string, UpstreamScript, readonly number[]]>([
    ["no resources", { capabilities: { resources: null } }, [1, 2, 0, 0]],
    ["prompts alone", { capabilities: { resources: null, tools: null } }, [0, 2, 0, 0]],
  ])("asks only for what is offered: %s", async (_, script, counts) => {
    const { tools, prompts, resources, templates } = await catalogueOf({
      tools: ["echo"],
      ...script,
    });
    expect([tools, prompts, resources, templates].map((list) => list.length)).toEqual([...counts]);
  });

  test("a server that offers nothing is refused, with what it said", async () => {
    const capabilities = { tools: null, prompts: null, resources: null, completions: null };
    const error: unknown = await catalogueOf({ capabilities }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      failure: "protocol",
      message: expect.stringContaining('{"logging":{}}'),
    });
  });

  test("a tool whose headers break a rule is left out over HTTP", async () => {
    const inputSchema = {
      type: "object",
      properties: { a: { type: "number", "x-mcp-header": "A" } },
    };
    const good = {
      name: "good",
      inputSchema: {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" } },
      },
      behaviour: "headers",
    };
    await using opened = await openScripted("http", {
      tools: [{ name: "bad", inputSchema }, good],
    });
    // Before the list is read nothing is known of headers: the server may refuse, and the call is made again.
    const catalogue = await opened.connection.readCatalogue(new AbortController().signal);
    expect([catalogue.tools.map(({ name }) => name), catalogue.problems.length]).toEqual([
      ["good"],
      1,
    ]);
    const reply = await opened.connection.request(toolCall("good", { region: "ä" }));
    expect(reply).toMatchObject({
      result: { structuredContent: { "mcp-param-region": "=?base64?w6Q=?=" } },
    });
  });
});

describe("readTool()", () => {
  test.each<[string, unknown, string]>([
    ["the least there can be", { name: "a", inputSchema: object }, "tool"],
    ["a schema without type", { name: "a", inputSchema: {} }, "tool"],
    ["128 characters", { name: "a".repeat(128), inputSchema: object }, "tool"],
    ["129 characters", { name: "a".repeat(129), inputSchema: object }, "problem"],
    ["no object", null, "problem"],
    ["a list", [], "problem"],
    ["no name", { inputSchema: object }, "problem"],
    ["an empty name", { name: "", inputSchema: object }, "problem"],
    ["no schema", { name: "a" }, "problem"],
    ["a schema of a list", { name: "a", inputSchema: { type: "array" } }, "problem"],
    ["64 levels", { name: "a", inputSchema: nested(63) }, "tool"],
    ["65 levels", { name: "a", inputSchema: nested(64) }, "problem"],
    ["100 000 levels", { name: "a", inputSchema: nested(100_000) }, "problem"],
    ["256 KiB", { name: "a", description: "x".repeat(262_144), inputSchema: {} }, "problem"],
  ])("%s", (_, value, kind) => {
    expect(readTool(value).kind).toBe(kind as never);
  });

  test("keeps all members, `__proto__` too", () => {
    const tool: unknown = JSON.parse('{"name":"a","inputSchema":{},"__proto__":{"x":1},"odd":[1]}');
    const reading = readTool(tool);
    expect(JSON.stringify(reading.kind === "tool" ? reading.tool : reading)).toBe(
      '{"name":"a","inputSchema":{"type":"object"},"__proto__":{"x":1},"odd":[1]}',
    );
  });
});

describe("changes", () => {
  test.each<Transport>(["stdio", "http"])("%s: many subscribe at once", async (transport) => {
    await using opened = await openScripted(transport, { era: "modern", resources: 5 });
    const uris = Array.from({ length: 5 }, (_, index) => `test://item/${index}`);
    const agreed = await Promise.all(uris.map((uri) => opened.connection.subscribe(uri, "one")));
    expect(agreed).toEqual(uris.map(() => true));
    await opened.connection.request(toolCall("touch_resource", { uri: uris[0] }));
    await until(() => opened.told.updated.includes("test://item/0"));
  });

  const ways: readonly (readonly [Transport, "legacy" | "modern"])[] = [
    ["stdio", "legacy"],
    ["stdio", "modern"],
    ["http", "legacy"],
    ["http", "modern"],
  ];

  test.each(ways)(
    "%s, %s: a changed list, and a resource while it is subscribed to",
    async (transport, era) => {
      await using opened = await openScripted(transport, { era });
      const { connection, told } = opened;
      const touch = (): Promise<unknown> =>
        connection.request(toolCall("touch_resource", { uri: "test://item/1" }));
      await touch();
      expect(await connection.subscribe("test://item/1", "one")).toBe(true);
      while (told.updated.length === 0) await touch();
      await connection.unsubscribe("test://item/1", "one");
      const names = { names: ["echo", "change_tools", "touch_resource"] };
      while (told.lists.length === 0) await connection.request(toolCall("change_tools", names));
      expect(told.lists[0]).toBe("tools");
      expect(new Set(told.updated)).toEqual(new Set(["test://item/1"]));
    },
  );

  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } };
  test.each<[string, (id: number) => string]>([
    [
      "answering",
      (id) => JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete" } }),
    ],
    ["cancelling", () => JSON.stringify(cancelled)],
  ])(
    "a stream that the server ends by %s is opened again, and what may have changed is told",
    async (_, line) => {
      await using opened = await openScripted("stdio", { era: "modern" });
      const { connection, told } = opened;
      // The second request of the connection, after `server/discover`, is the one that listens.
      await connection.request(toolCall("raw", { text: `${line(2)}\n` }));
      await until(() => told.lists.length === 3);
      expect([told.lists, told.closed]).toEqual([["tools", "prompts", "resources"], []]);
    },
  );

  test("a server without subscriptions says so", async () => {
    const capabilities = { resources: {} };
    for (const era of ["legacy", "modern"] as const) {
      await using opened = await openScripted("stdio", { era, capabilities });
      expect(await opened.connection.subscribe("test://item/1", "one")).toBe(false);
    }
  });

  test("log messages of a server reach the call over HTTP, else the connection", async () => {
    await using http = await openScripted("http", { http: { reply: "sse" } });
    const logs: unknown[] = [];
    const onLog = (_: string, data: unknown): void => void logs.push(data);
    await http.connection.request(toolCall("log", { text: "a" }, { onLog }));
    await using stdio = await openScripted("stdio", { era: "legacy" });
    await stdio.connection.request(toolCall("log", { text: "b" }));
    await until(() => stdio.told.logs.length > 0);
    expect([logs, stdio.told.logs]).toEqual([["a"], ["b"]]);
  });
});
