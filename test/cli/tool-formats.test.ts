import { describe, expect, test } from "bun:test";

import type { UpstreamTool } from "../../src/cli/command.ts";
import type { CallOutcome } from "../../src/calls/call.ts";
import type { ToolListing } from "../../src/protocol/tool-types.ts";
import { probeTool, resultOf, run } from "./fake-io.ts";

const { name, description, inputSchema } = probeTool;

const foreign = (server: string, tool: string): UpstreamTool => ({
  server,
  listing: { ...probeTool, name: `mcp__${server}__${tool}` },
});
const upstreamTools = [foreign("a", "one"), foreign("a", "two"), foreign("b", "one")];
/** One is in the list, the others are found by `tool_search`. */
const tools: readonly ToolListing[] = [
  probeTool,
  ...upstreamTools.slice(0, 1).map(({ listing }) => listing),
];
const files = {
  "home/.scorpiox/config.toml": "[mcp.servers.a]\ncommand = 'a'\n[mcp.servers.b]\ncommand = 'b'\n",
};

describe("[GW-32] tools", () => {
  test.each<[string, unknown]>([
    ["mcp", probeTool],
    ["openai", { type: "function", function: { name, description, parameters: inputSchema } }],
    ["anthropic", { name, description, input_schema: inputSchema }],
  ])("--format %s is one JSON array", async (format, tool) => {
    const { exitCode, stdout, stderr } = await run(["tools", "--format", format]);
    expect([exitCode, JSON.parse(stdout), stderr]).toEqual([0, [tool], ""]);
  });

  test.each<[readonly string[], readonly string[]]>([
    [[], ["Probe", "mcp__a__one"]],
    [["--all"], ["Probe", "mcp__a__one", "mcp__a__two", "mcp__b__one"]],
    [
      ["--server", "a"],
      ["mcp__a__one", "mcp__a__two"],
    ],
    [
      ["--server", "a", "--all"],
      ["mcp__a__one", "mcp__a__two"],
    ],
    [["--server", "b"], ["mcp__b__one"]],
  ])("%j", async (flags, names) => {
    const { exitCode, stdout } = await run(["tools", "--format", "mcp", ...flags], {
      tools,
      upstreamTools,
      files,
    });
    const found = (JSON.parse(stdout) as ToolListing[]).map((tool) => tool.name);
    expect([exitCode, found]).toEqual([0, [...names]]);
  });

  test("that are hidden are told of", async () => {
    const { stderr } = await run(["tools", "--server", "a"], { tools, upstreamTools, files });
    expect(stderr).toContain("1 tool of them hidden: clients find them with tool_search.");
  });

  test("of an unknown server are not found", async () => {
    const { exitCode, stderr } = await run(["tools", "--server", "aa"], { upstreamTools, files });
    expect([exitCode, stderr]).toEqual([
      3,
      'scorpiox-code: error: There is no server "aa". Did you mean a? mcp list shows all.\n',
    ]);
  });
});

const content = [{ type: "text", text: "done" }];
const failed = {
  kind: "result",
  json: JSON.stringify({ content: [{ type: "text", text: "broken" }], isError: true }),
} as const;
const structured: CallOutcome = {
  kind: "result",
  json: JSON.stringify({ content, structuredContent: { n: 1 } }),
};
const fault = { kind: "fault", fault: { code: -32602, message: "Unknown tool: x." } } as const;

describe("[GW-32] call", () => {
  test.each<[string, readonly string[], CallOutcome, number, unknown]>([
    ["mcp", [], structured, 0, { content, structuredContent: { n: 1 } }],
    ["openai", [], structured, 0, { success: true, output: "done", structured: { n: 1 } }],
    ["openai", [], failed, 1, { success: false, output: "broken", error: "broken" }],
    [
      "openai",
      [],
      fault,
      1,
      { success: false, output: "Unknown tool: x.", error: "Unknown tool: x." },
    ],
    [
      "openai",
      [],
      { ...fault, refusal: "invalid" },
      3,
      { success: false, output: "Unknown tool: x.", error: "Unknown tool: x." },
    ],
    [
      "anthropic",
      [],
      failed,
      1,
      {
        type: "tool_result",
        tool_use_id: "",
        content: [{ type: "text", text: "broken" }],
        is_error: true,
      },
    ],
  ])("--format %s %j of %j", async (format, words, outcome, code, expected) => {
    const { exitCode, stdout, stderr } = await run(
      ["call", "Probe", "--format", format, ...words],
      { outcome },
    );
    expect([exitCode, JSON.parse(stdout), stderr]).toEqual([code, expected, ""]);
  });

  test.each<[CallOutcome, number]>([
    [resultOf(content), 0],
    [failed, 1],
    [{ ...failed, refusal: "invalid" }, 1],
    [{ ...failed, refusal: "denied" }, 4],
    [{ ...failed, refusal: "vetoed" }, 4],
    [{ ...failed, refusal: "pending" }, 4],
    [{ ...fault, refusal: "invalid" }, 3],
    [fault, 1],
    [{ kind: "cancelled" }, 1],
  ])("%j exits with %d", async (outcome, code) => {
    expect((await run(["call", "Probe"], { outcome })).exitCode).toBe(code);
  });

  test("reads arguments from stdin", async () => {
    const { exitCode, calls } = await run(["call", "Probe", "-"], { stdin: ['{"text": ', '"é"}'] });
    expect([exitCode, calls.map(({ args }) => args)]).toEqual([0, [{ text: "é" }]]);
  });

  test.each<[string, unknown, unknown]>([
    ["mcp", { name, arguments: { text: "a" } }, { content, isError: false }],
    [
      "openai",
      { id: "c1", type: "function", function: { name, arguments: '{"text":"a"}' } },
      { role: "tool", tool_call_id: "c1", content: "done" },
    ],
    [
      "anthropic",
      { type: "tool_use", id: "c1", name, input: { text: "a" } },
      { type: "tool_result", tool_use_id: "c1", content, is_error: false },
    ],
  ])("answers a whole call of %s on stdin", async (format, call, expected) => {
    const stdin = [JSON.stringify(call)];
    const { exitCode, stdout, calls } = await run(["call", "-", "--format", format], { stdin });
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, expected]);
    expect(calls.map((made) => [made.name, made.args])).toEqual([[name, { text: "a" }]]);
  });

  test("arguments that are not JSON are a result that failed, and nothing is called", async () => {
    const stdin = [JSON.stringify({ id: "c1", function: { name, arguments: "{" } })];
    const { exitCode, stdout, calls } = await run(["call", "-", "--format", "openai"], { stdin });
    expect([exitCode, calls]).toEqual([1, []]);
    expect(JSON.parse(stdout)).toEqual({
      role: "tool",
      tool_call_id: "c1",
      content: expect.stringContaining("The arguments are not JSON"),
    });
  });

  test("an unknown tool in a whole call is a result that failed", async () => {
    const stdin = ['{"type": "tool_use", "id": "c1", "name": "Prob", "input": {}}'];
    const { exitCode, stdout, stderr, calls } = await run(["call", "-", "--format", "anthropic"], {
      stdin,
    });
    expect([exitCode, JSON.parse(stdout), stderr, calls]).toEqual([
      3,
      {
        type: "tool_result",
        tool_use_id: "c1",
        content: [{ type: "text", text: "There is no tool Prob. Did you mean Probe?" }],
        is_error: true,
      },
      "",
      [],
    ]);
  });

  test.each<[readonly string[], string | undefined, number, string]>([
    [["-"], "{", 2, "The call on stdin is not JSON"],
    [["-"], "{}", 2, "it names no tool"],
    [["-"], '{"name": "Prob"}', 3, "Did you mean Probe?"],
    [["Probe", "-"], "[]", 2, "must be a JSON object"],
    [["Probe", "--json", "--format", "mcp"], undefined, 2, "not both"],
  ])("%j with %j", async (words, text, code, message) => {
    const stdin = text === undefined ? [] : [text];
    const { exitCode, stdout, stderr, calls } = await run(["call", ...words], { stdin });
    expect({ exitCode, stdout, calls }).toEqual({ exitCode: code, stdout: "", calls: [] });
    expect(stderr).toContain(message);
  });

  test.each<[string, readonly string[], unknown]>([
    ["a hidden tool, by its schema", ["mcp__b__one", "text=5", "count=5"], { text: "5", count: 5 }],
    [
      "an alias, by what values look like",
      ["mcp:b.one", "a=5", "b=x", "c=[1]", "d=null"],
      { a: 5, b: "x", c: [1], d: null },
    ],
    ["an alias, with JSON", ["one", '{"a": "5"}'], { a: "5" }],
  ])("calls %s", async (_what, words, args) => {
    const { exitCode, calls } = await run(["call", ...words], { upstreamTools, files });
    expect([exitCode, calls.map((call) => [call.name, call.args])]).toEqual([
      0,
      [[words[0], args]],
    ]);
  });

  test("a tool of a server that waits for approval needs that", async () => {
    const outcome: CallOutcome = { ...fault, refusal: "invalid" };
    const own = { "project/.mcp.json": '{"mcpServers": {"p": {"command": "c"}}}' };
    const words = ["call", "mcp__p__one"];
    const { exitCode, stderr } = await run(words, { outcome, upstreamTools, files: own });
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining("mcp approve p")]);
  });

  test("a result without text is its structured content", async () => {
    const json = JSON.stringify({ content: [], structuredContent: { n: 1 } });
    expect((await run(["call", "Probe"], { outcome: { kind: "result", json } })).stdout).toBe(
      '{"n":1}\n',
    );
  });
});
