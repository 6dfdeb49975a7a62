import { describe, expect, test } from "bun:test";

import { AppError } from "../../../src/base/errors.ts";
import { unheardSnapshot } from "../../../src/upstream/snapshot.ts";
import { FakeUpstreams, rights, server, snapshotOf, textReply, tool } from "./fake-upstreams.ts";
import { GatewayHarness, said } from "./gateway-harness.ts";

const unknown = (name: string): unknown => expect.stringContaining(`Unknown tool: ${name}.`);

describe("a call of another server's tool [GW-17]", () => {
  test.each<[string, object, unknown]>([
    ["mcp__files__read", { path: "a" }, { name: "read", arguments: { path: "a" } }],
    ["mcp:files.read", { path: "a" }, { name: "read", arguments: { path: "a" } }],
    ["mcp_files_read", {}, { name: "read", arguments: {} }],
    ["read", {}, { name: "read", arguments: {} }],
    ["mcp__scorpiox-code__mcp__files__read", {}, { name: "read", arguments: {} }],
    [
      "tool_call",
      { name: "mcp__files__read", arguments: { path: "a" } },
      { name: "read", arguments: { path: "a" } },
    ],
    ["tool_call", { name: "read" }, { name: "read", arguments: {} }],
    ["mcp__scorpiox-code__tool_call", { name: "read" }, { name: "read", arguments: {} }],
  ])("%s %o", async (name, args, params) => {
    await using harness = new GatewayHarness();
    await harness.initialize();
    expect(said(await harness.call(name, args))).toBe("done");
    expect(harness.upstreams.calls.map(({ call }) => call)).toEqual([
      {
        server: "files",
        method: "tools/call",
        params: params as Record<string, unknown>,
        clientId: "stdio",
        capabilities: {
          elicitationForm: true,
          elicitationUrl: false,
          sampling: false,
          samplingTools: false,
          roots: true,
          tasks: false,
        },
        wantsProgress: false,
        version: "2025-11-25",
        timeoutMs: 600_000,
        resultCharsMax: 30_000,
      },
    ]);
  });

  test.each<[string, string, object, unknown]>([
    [
      "nobody's name",
      "mcp__files__raed",
      {},
      {
        code: -32602,
        message: expect.stringContaining(
          "Unknown tool: mcp__files__raed. Nearest: mcp__files__read,",
        ) as unknown,
      },
    ],
    ["by tool_call", "tool_call", { name: "zzzzzzzz" }, { isError: unknown("zzzzzzzz") }],
    [
      "tool_call of itself",
      "tool_call",
      { name: "tool_call" },
      { isError: "tool_call cannot call itself: name the tool that is meant." },
    ],
    [
      "tool_call without a name",
      "tool_call",
      {},
      { isError: "tool_call needs `name`: a tool's name as tool_search gives it." },
    ],
    ["one of ours that is off", "Bash", {}, "own Bash"],
    ["one of ours by tool_call", "tool_call", { name: "Echo" }, "own Echo"],
    [
      "several tools' name",
      "get",
      {},
      {
        code: -32602,
        message: "get may be any of several tools. Call one of: mcp__files__get, mcp__web__get.",
      },
    ],
  ])("%s", async (_about, name, args, expected) => {
    const tools = [tool("files", "read"), tool("files", "get"), tool("web", "get")];
    const upstreams = new FakeUpstreams(snapshotOf({ tools }));
    await using harness = new GatewayHarness({ upstreams });
    await harness.initialize();
    expect(said(await harness.call(name, args))).toEqual(expected);
    expect(upstreams.calls).toEqual([]);
  });

  test("a tool that is blocked says why, under each of its names, and is never called", async () => {
    const blocked = {
      name: "mcp__files__rm",
      server: "files",
      tool: "rm",
      reason: "pending",
      text: "it is new and not approved: scorpiox-code mcp approve files/rm",
    } as const;
    await using harness = new GatewayHarness({
      upstreams: new FakeUpstreams(snapshotOf({ blocked: [blocked] })),
    });
    await harness.initialize();
    const text = `mcp__files__rm was not called: ${blocked.text}`;
    for (const name of ["mcp__files__rm", "mcp:files.rm", "rm"]) {
      expect(said(await harness.call(name))).toEqual({ isError: text });
      expect(said(await harness.call("tool_call", { name }))).toEqual({ isError: text });
    }
    expect(harness.upstreams.calls).toEqual([]);
  });

  test.each<[string, unknown]>([
    ["2025-11-25", { isError: "Invalid arguments for mcp__files__read: path is missing" }],
    [
      "2025-06-18",
      { code: -32602, message: "Invalid arguments for mcp__files__read: path is missing" },
    ],
  ])(
    "arguments that do not fit are refused before anything else: %s",
    async (version, expected) => {
      let asked = 0;
      const stage = { check: () => void asked++ };
      await using harness = new GatewayHarness({ gate: { stages: [stage] } });
      harness.upstreams.argumentProblem = "path is missing";
      await harness.initialize({}, version);
      expect(said(await harness.call("read"))).toEqual(expected);
      expect([harness.upstreams.calls.length, asked]).toEqual([0, 0]);
    },
  );

  test.each([
    ["mcp__far_away__do", " The server far.away is untrusted. Approve it."],
    ["mcp__far.away__do", " The server far.away is untrusted. Approve it."],
    ["mcp:far.away.do", " The server far.away is untrusted. Approve it."],
    ["mcp_far_away_do", " The server far.away is untrusted. Approve it."],
    ["mcp__off__do", " The server off is disabled."],
    ["mcp__files__do", ""],
    ["mcp__offer__do", ""],
  ])("%s is of nobody, and its server may say why", async (name, why) => {
    const away = { ...server("far.away", "untrusted"), reason: "Approve it." };
    const servers = [server("files"), away, server("off", "disabled")];
    const upstreams = new FakeUpstreams(snapshotOf({ servers }));
    await using harness = new GatewayHarness({ upstreams });
    await harness.initialize();
    const { message } = said(await harness.call(name)) as { message: string };
    expect(message).toStartWith(`Unknown tool: ${name}.${why}`);
    expect(message.includes(" is ")).toBe(why !== "");
  });

  test.each([
    "mcp__far_away__do",
    "mcp__far.away__do",
    "mcp:space.do",
    "mcp_space_do",
    "mcp__scorpiox-code__mcp__far_away__do",
    "mcp__scorpiox-code__mcp:space.do",
    "mcp__a_server_with_a__do_abcdef",
  ])("%s of a server that is starting is no unknown tool", async (name) => {
    const servers = [server("files"), server("far.away", "starting")];
    servers.push(server("a_server_with_a_long_name", "starting"));
    const spaced = [rights("far.away", { prefix: "space" })];
    const upstreams = new FakeUpstreams(snapshotOf({ servers, rights: spaced }));
    await using harness = new GatewayHarness({ upstreams });
    await harness.initialize();
    const long = name.includes("a_server");
    const which = long ? "a_server_with_a_long_name" : "far.away";
    const isError = `${name} cannot be called yet. The MCP server ${which} is starting, and its tools are not known yet. Try again in 3 s.`;
    expect(said(await harness.call(name))).toEqual({ isError });
    expect(said(await harness.call("tool_call", { name }))).toEqual({ isError });
  });

  test("no name is unknown while nobody knows which servers there are", async () => {
    const upstreams = new FakeUpstreams();
    upstreams.snapshot = undefined;
    upstreams.unheard = unheardSnapshot;
    await using harness = new GatewayHarness({ upstreams });
    await harness.initialize();
    const isError =
      "mcp__files__read cannot be called yet. The MCP servers are being looked up. Try again in 3 s.";
    expect(said(await harness.call("mcp__files__read"))).toEqual({ isError });
    upstreams.settling = Promise.resolve().then(() => {
      upstreams.snapshot = snapshotOf();
    });
    expect(said(await harness.call("mcp__files__read"))).toEqual("done");
  });

  test.each<[boolean, number]>([
    [true, 1],
    [false, 0],
  ])(
    "arguments are looked at before the call only where a later stage may object: %p",
    async (mayObject, checks) => {
      const ends: unknown[] = [];
      const watcher = { ended: (_call: unknown, end: object) => void ends.push(end) };
      const stage = { check: () => undefined, mayObject: () => mayObject };
      await using harness = new GatewayHarness({ gate: { stages: [stage], watchers: [watcher] } });
      harness.upstreams.argumentProblem = "path is missing";
      await harness.initialize();
      expect(said(await harness.call("read"))).toEqual({
        isError: "Invalid arguments for mcp__files__read: path is missing",
      });
      expect(harness.upstreams.checks).toBe(checks);
      expect(ends).toEqual([{ decision: "invalid", durationMs: expect.any(Number) as number }]);
    },
  );

  test("the gate sees the tool's own name, whatever it was called by [GW-25]", async () => {
    const seen: unknown[] = [];
    const stage = {
      check: ({ name, args, target }: { name: string; args: unknown; target?: unknown }) =>
        void seen.push([name, args, (target as { alias?: string }).alias]),
    };
    await using harness = new GatewayHarness({ gate: { stages: [stage] } });
    await harness.initialize();
    await harness.call("mcp__files__read", { a: 1 });
    await harness.call("read", { a: 2 });
    await harness.call("tool_call", { name: "mcp:files.read", arguments: { a: 3 } });
    expect(seen).toEqual([
      ["mcp__files__read", { a: 1 }, undefined],
      ["mcp__files__read", { a: 2 }, "read"],
      ["mcp__files__read", { a: 3 }, "mcp:files.read"],
    ]);
  });

  test("what the client may not use it cannot call by an alias either", async () => {
    await using harness = new GatewayHarness({ mayUse: (name) => name !== "mcp__files__read" });
    await harness.initialize();
    const message = "Invalid params: you may not use the tool mcp__files__read";
    expect(said(await harness.call("read"))).toEqual({ code: -32602, message });
    expect(said(await harness.call("tool_call", { name: "read" }))).toEqual({ isError: message });
    expect(said(await harness.call("get"))).toBe("done");
  });

  test("a name that nobody has waits for servers that are still being asked", async () => {
    const upstreams = new FakeUpstreams(snapshotOf({ tools: [], isIncomplete: true }));
    const { promise, resolve } = Promise.withResolvers<void>();
    upstreams.settling = promise;
    await using harness = new GatewayHarness({ upstreams });
    await harness.initialize();
    const calling = harness.call("mcp__files__read");
    upstreams.snapshot = snapshotOf();
    resolve();
    expect(said(await calling)).toBe("done");
  });

  test.each<[string, Parameters<typeof textReply>, unknown]>([
    ["a result", ["fine"], "fine"],
    ["an error of its own", ["bad", { isError: true }], { isError: "bad" }],
  ])("%s", async (_about, reply, expected) => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = () => textReply(...reply);
    await harness.initialize();
    expect(said(await harness.call("read"))).toEqual(expected);
  });

  test("faults and failures are told as what they are", async () => {
    await using harness = new GatewayHarness();
    await harness.initialize();
    harness.upstreams.play = () => ({ kind: "fault", fault: { code: -32050, message: "no" } });
    expect(said(await harness.call("read"))).toEqual({ code: -32050, message: "no" });
    harness.upstreams.play = () => ({
      kind: "failed",
      text: "files is gone",
      reason: "connection_lost",
    });
    expect(said(await harness.call("read"))).toEqual({ isError: "files is gone" });
    harness.upstreams.play = () => Promise.reject(new AppError("worker", "the Worker was lost"));
    expect(said(await harness.call("read"))).toEqual({ isError: "files: the Worker was lost" });
  });

  test.each([-32700, -32600, -32601, -32020, -32021, -32022, -32042, 1.5, NaN])(
    "an error %p of its connection is none of ours",
    async (code) => {
      await using harness = new GatewayHarness();
      await harness.initialize();
      const data = { supported: ["2024-11-05"] };
      harness.upstreams.play = () => ({ kind: "fault", fault: { code, message: "no", data } });
      const { error } = await harness.call("read");
      const message = `files answered with the error ${code}: no`;
      expect(error).toEqual({ code: -32603, message });
    },
  );

  test("a page that has to be opened first is told with its host", async () => {
    await using harness = new GatewayHarness();
    await harness.initialize();
    const page = (url: string): object => ({
      mode: "url",
      message: "Log in",
      url,
      elicitationId: "1",
    });
    const elicitations = [page("https://a.example/x"), page("javascript:alert(1)"), 5];
    const fault = { code: -32042, message: "log in", data: { elicitations } };
    harness.upstreams.play = () => ({ kind: "fault", fault });
    expect(said(await harness.call("read"))).toEqual({
      isError:
        "files asks you to open a page of a.example: Log in\nhttps://a.example/x\n" +
        "The user can open it; then call the tool again.",
    });
  });

  test("a result is asked for in the shape of the revision, and passed on as it comes", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = () => textReply("fine", { structuredContent: { a: 1 }, other: 1 });
    const modern = await harness.modern("tools/call", { name: "read", arguments: {} });
    await harness.initialize({}, "2024-11-05");
    const old = await harness.call("read");
    const result = {
      content: [{ type: "text", text: "fine" }],
      isError: false,
      structuredContent: { a: 1 },
      other: 1,
    };
    expect([modern, old]).toEqual([
      expect.objectContaining({ result }),
      expect.objectContaining({ result }),
    ]);
    const versions = harness.upstreams.calls.map(({ call }) => call.version);
    expect(versions).toEqual(["2026-07-28", "2024-11-05"]);
  });

  test("tool_search passes the gate and answers as its servers' Worker does", async () => {
    const seen: string[] = [];
    const stage = { check: ({ name }: { name: string }) => void seen.push(name) };
    await using harness = new GatewayHarness({ gate: { stages: [stage] } });
    await harness.initialize();
    expect(said(await harness.call("tool_search", { query: "mail" }))).toBe("found mail");
    expect(
      said(await harness.call("tool_call", { name: "tool_search", arguments: { query: "a" } })),
    ).toBe("found a");
    expect(said(await harness.call("tool_search", {}))).toEqual({
      isError: "tool_search needs `query`: a few words that describe the task.",
    });
    expect(seen).toEqual(["tool_search", "tool_search", "tool_search"]);
  });

  test("trace keys and those of vendors are passed on, the protocol's own are not", async () => {
    await using harness = new GatewayHarness();
    const passed = { traceparent: "00-a-b-01", "vendor.example/x": { y: 1 } };
    const _meta = { ...passed, progressToken: 5, other: 1, "io.modelcontextprotocol/z": 1 };
    await harness.initialize();
    await harness.call("read", {}, { _meta });
    expect(harness.upstreams.calls[0]?.call.params).toEqual({
      name: "read",
      arguments: {},
      _meta: passed,
    });
  });

  test("the time is that of the server's entry; the length, which the Worker may change, the client's", async () => {
    const snapshot = snapshotOf({ rights: [rights("files", { timeoutMs: 1_000 })] });
    await using harness = new GatewayHarness({ upstreams: new FakeUpstreams(snapshot) });
    await harness.initialize();
    await harness.call("read");
    const [played] = harness.upstreams.calls;
    expect([played?.call.resultCharsMax, played?.call.timeoutMs]).toEqual([30_000, 1_000]);
  });
});
