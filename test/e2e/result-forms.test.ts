import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";

import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";

import { samplePng } from "../tools/images/sample-images.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { leastArguments } from "./harness/least-arguments.ts";
import {
  contentOf,
  modernVersion,
  structuredOf,
  textOf,
  toolsOf,
  wholeTextOf,
} from "./harness/messages.ts";
import { type AnyClient, clientInfo, stdioParameters } from "./harness/official-clients.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { runProduct } from "./harness/run-product.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { taskIdOf } from "./harness/told.ts";
import { upstreamHome } from "./harness/upstream-home.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

/** Tools whose JSON says all that their text says. */
const inJson: readonly string[] = ["WebSearch", "TaskManager", "ListBgTasks"];

/** Calls that end well, and calls that do not, in this order; a tool that has none is called with the least it takes. */
const calls: readonly (readonly [string, Record<string, unknown>])[] = [
  ["Bash", { command: "echo a" }],
  ["Bash", { command: "exit 3" }],
  ["ReadImage", { file_path: "picture.png" }],
  ["ReadImage", { file_path: "nothing.png" }],
  ["ReadDocs", { url: "http://169.254.169.254/" }],
  ["WebSearch", { query: "kestrel" }],
  ["TaskManager", { action: "create", query: "", text: "One" }],
  ["TaskManager", { action: "list", query: "" }],
  ["TaskManager", { action: "list", query: "nothing like this" }],
  ["TaskManager", { action: "complete", query: "", task_id: 99 }],
  ["PlanMode", { action: "status" }],
  ["PlanMode", { action: "exit" }],
  ["AskUserQuestion", { questions_json: '[{"question":"Which?","options":["a","b"]}]' }],
  ["AskUserQuestion", { questions_json: "no" }],
  ["InvokeSkill", { skill_name: "nothing" }],
  ["BackgroundBash", { command: "echo b; sleep 60" }],
  ["ReadBgOutput", { task_id: 1, wait_ms: 5_000 }],
  ["ReadBgOutput", { task_id: 99 }],
  ["ListBgTasks", {}],
  ["KillBgTask", { task_id: 1 }],
  ["SetCallback", { action: "set", message: "m", delay_seconds: 3_600 }],
  ["SetCallback", { action: "list" }],
];

interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: { readonly notes?: readonly string[] };
  readonly isError?: boolean;
}

type Listed = {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
};

/** A workspace in which each result ends with lines of ours: skills that are to be loaded, and what a hook says. */
function homeWithNotes(): TempFolder {
  const home = new TempFolder();
  home.write(".scorpiox/required_skills.txt", "nowhere\n");
  home.write(
    ".scorpiox/hooks/tool_use/sync-say.sh",
    `#!/bin/sh\n[ "$SX_PHASE" = post ] && echo '{"decision":"deny","reason":"looked at"}'\nexit 0\n`,
    0o755,
  );
  writeFileSync(home.at("picture.png"), samplePng());
  return home;
}

const notes = [
  'Warning: the hook tool_use/sync-say.sh (user) said "deny" after the call. It says:\nlooked at',
  "Required by required_skills.txt, but there is no such skill: nowhere.",
];

/** An official client in front of the compiled server: the v1 client with a session, the v2 client without. */
async function connected(
  way: "v1" | "v2",
  home: TempFolder,
  more: Record<string, string>,
): Promise<AnyClient & AsyncDisposable> {
  const { env, ...parameters } = stdioParameters(home);
  const transport = { ...parameters, env: { ...env, ...more } };
  const versionNegotiation = { mode: { pin: modernVersion } };
  const client =
    way === "v1" ? new Client1(clientInfo) : new Client2(clientInfo, { versionNegotiation });
  if (client instanceof Client1) await client.connect(new Stdio1(transport));
  else await client.connect(new Stdio2(transport));
  return {
    listTools: () => client.listTools(),
    callTool: (params) => client.callTool(params),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

// Official clients hold each result against the schema that the list had.
describe.each(["v1", "v2"] as const)("the official client %s", (way) => {
  posixTest("[result.forms] gets each fact in each form", async () => {
    using home = homeWithNotes();
    // Nothing is asked on the web, and nobody in a browser.
    const env = { SCORPIOX_WEBSEARCH_ENGINES: "", SCORPIOX_ASK_BROWSER: "/bin/false" };
    await using client = await connected(way, home, env);
    const listed = (await client.listTools()).tools as readonly Listed[];
    const withSchema = listed.filter(({ outputSchema }) => outputSchema !== undefined);
    expect(withSchema.map(({ name }) => name)).toEqual([...inJson]);
    const called = new Set(calls.map(([name]) => name));
    const others = listed
      .filter(({ name }) => !called.has(name))
      .map(({ name, inputSchema }) => [name, leastArguments(inputSchema)] as const);
    for (const [name, args] of [...calls, ...others]) {
      const result = (await client.callTool({ name, arguments: args })) as ToolResult;
      const texts = result.content.map(({ text = "" }) => text.trimStart());
      const failed = result.isError === true && result.structuredContent === undefined;
      expect([name, args, texts.slice(-2)]).toEqual([name, args, notes]);
      expect([name, result.structuredContent?.notes?.slice(-2)]).toEqual([
        name,
        inJson.includes(name) && !failed ? notes : undefined,
      ]);
    }
  });
});

test("[result.forms] a callback that fired is told in the JSON too, once", async () => {
  await using server = new Server();
  await server.initialize();
  await server.call("SetCallback", {
    action: "set",
    message: "look",
    delay_seconds: 1,
    repeat_count: 1,
  });
  await server.message("the fire", ({ method }) => method === "notifications/message");
  const told = await server.call("ListBgTasks");
  const line = "[Callback 0, fire 1] Reminder set with SetCallback: look";
  expect([textOf(told), structuredOf(told)]).toEqual([
    `No background tasks.\n${line}`,
    { tasks: [], notes: [line] },
  ]);
  expect(structuredOf(await server.call("ListBgTasks"))).toEqual({ tasks: [] });
});

posixTest("[result.forms] what the data said stands in the text", async () => {
  await using server = new Server();
  await server.initialize();
  const slow = wholeTextOf(await server.call("Bash", { command: "echo a; sleep 1.1" }));
  expect(slow).toMatch(/^a\ntook \d+\.\d s$/);
  const task = await server.call("BackgroundBash", { command: "echo one; printf two; sleep 60" });
  const read = { task_id: taskIdOf(task), wait_ms: 10_000, until: "two" };
  expect(textOf(await server.call("ReadBgOutput", read))).toMatch(
    /^one\ntwo\nA line matched `until` \(two\)\.\nTask 1: running for .*\.$/,
  );
  const [set] = contentOf(
    await server.call("SetCallback", { action: "set", message: "m", delay_seconds: 60 }),
  );
  expect(set?.text).toEndWith("\ncallback_id: 0 (1/8 in use)");
});

posixTest("[result.forms] programs get the data: --json, and hooks", async () => {
  using home = new TempFolder();
  const seen = home.at("seen");
  home.write(
    ".scorpiox/hooks/tool_use/sync-see.sh",
    `#!/bin/sh\n[ "$SX_PHASE" = post ] && printf '%s\\n' "$4" >> '${seen}'\nexit 0\n`,
    0o755,
  );
  const { stdout } = await runProduct(home, ["call", "Bash", "command=echo a; exit 3", "--json"]);
  const data = { output: "a\n", exitCode: 3, taskId: null };
  expect(JSON.parse(stdout)).toMatchObject({ structuredContent: data, isError: true });
  const { result } = JSON.parse(await Bun.file(seen).text()) as { result: unknown };
  expect(result).toMatchObject({ structuredContent: data });
  await using server = new Server({ home });
  await server.initialize("2025-03-26");
  const reply = await server.call("Bash", { command: "echo a; exit 3" });
  expect([contentOf(reply).length, textOf(reply)]).toEqual([1, "a\nexit code: 3"]);
  const [, told = ""] = (await Bun.file(seen).text()).split("\n");
  expect(JSON.parse(told)).toMatchObject({ result: { structuredContent: data } });
});

const outputSchema = { type: "object", properties: { sum: { type: "number" } } };
/** What another server answers is in the arguments of its tool. */
const foreign = { inputSchema: { type: "object" }, outputSchema };
const script = {
  tools: [
    { name: "data", behaviour: "reply", ...foreign },
    { name: "slow", behaviour: "sleep", ...foreign },
  ],
};
const answer = (text: string, structuredContent: object): Record<string, unknown> => ({
  message: { result: { content: [{ type: "text", text }], structuredContent } },
});

describe("another server", () => {
  test.each([
    ["claude-code", false],
    ["opencode", true],
    ...onlyLong<[string, boolean]>([
      ["nobody-knows", false],
      ["copilot-cli", true],
    ]),
  ])("[result.foreign] lines of ours over its data, for %s", async (client, isCarried) => {
    using home = upstreamHome({ own: [script] });
    await using server = new Server({ home });
    await server.initialize("2025-11-25", client);
    const set = { action: "set", message: "look", delay_seconds: 1, repeat_count: 1 };
    await server.call("SetCallback", set);
    await server.message("the fire", ({ method }) => method === "notifications/message");
    const line = "[Callback 0, fire 1] Reminder set with SetCallback: look";
    const told = await server.call("mcp__own__data", answer("3", { sum: 3 }));
    expect(told.result).toEqual({
      content: [
        { type: "text", text: "3" },
        ...(isCarried ? [{ type: "text", text: `\n${line}` }] : []),
      ],
      structuredContent: { sum: 3 },
      isError: false,
    });
    const next = structuredOf(await server.call("ListBgTasks"));
    expect(next).toEqual(isCarried ? { tasks: [] } : { tasks: [], notes: [line] });
    expect(structuredOf(await server.call("ListBgTasks"))).toEqual({ tasks: [] });
  });

  test("[result.foreign] what it answers is said to be data in the list, which no client drops", async () => {
    using home = upstreamHome({ own: [script] });
    await using server = new Server({ home });
    const { result } = await server.initialize();
    const listed = toolsOf(await server.request("tools/list"));
    const told = listed.filter(({ description }) =>
      /an MCP server: its answers are data/.test(String(description)),
    );
    expect(told.map(({ name }) => name)).toEqual(["mcp__own__data", "mcp__own__slow"]);
    expect(String(result?.["instructions"])).toContain("tools of MCP servers");
  });

  posixTest.each(["v1", "v2"] as const)(
    "[result.foreign] a text in the place of its data passes the official client %s, and is no failure",
    async (way) => {
      using home = upstreamHome({ own: [script] });
      const env = { SCORPIOX_CLIENT_BUDGET_MS: "1500", SCORPIOX_AUDIT: "on" };
      await using client = await connected(way, home, env);
      // On a busy machine the first list may come before the server.
      const schemas = await eventually("its tools", async () => {
        const { tools } = await client.listTools();
        const own = (tools as readonly Listed[]).filter(({ name }) => name.startsWith("mcp__own"));
        return own.length > 0 && own;
      });
      expect(schemas.map((tool) => tool.outputSchema)).toMatchObject([outputSchema, outputSchema]);
      const call = async (name: string, args: Record<string, unknown>): Promise<ToolResult> =>
        (await client.callTool({ name: `mcp__own__${name}`, arguments: args })) as ToolResult;
      expect(await call("data", answer("3", { sum: 3 }))).toMatchObject({
        content: [{ type: "text", text: "3" }],
        structuredContent: { sum: 3 },
        isError: false,
      });
      const large = await call("data", answer("long", { sum: 3, more: "x".repeat(50_000) }));
      const [made, shown] = large.content;
      expect(made?.text).toStartWith("The call was made.");
      expect(shown?.text).toMatch(/^long\n\{"sum":3,"more":"x+\n\[\.\.\. .*\.\.\.\]\nx+"\}$/);
      const chars = large.content.reduce((sum, { text = "" }) => sum + text.length, 0);
      expect(chars).toBeLessThanOrEqual(30_000);
      expect([large.isError, "structuredContent" in large]).toEqual([true, false]);
      const handedOver = await call("slow", { ms: 4_000 });
      expect(handedOver).toMatchObject({
        content: [{ text: expect.stringMatching(/goes on as background task \d/) as string }],
        isError: true,
      });
      const audit = await eventually("the log", async () => {
        const file = Bun.file(home.at(".scorpiox/audit/audit.jsonl"));
        const lines = (await file.exists()) ? (await file.text()).split("\n").slice(0, -1) : [];
        return lines.length >= 3 && lines.map((line) => JSON.parse(line) as { outcome: string });
      });
      expect(audit.map(({ outcome }) => outcome)).toEqual(["result", "result", "result"]);
    },
  );

  test.each(["2024-11-05", "2025-03-26"])(
    "[result.once] %s gets its data once, within the limit",
    async (version) => {
      using home = upstreamHome({ own: [script] });
      await using server = new Server({ home });
      await server.initialize(version, "claude-ai");
      const data = { sum: 1, more: "y".repeat(15_000) };
      const told = [
        await server.call("mcp__own__data", answer("a sentence", data)),
        await server.call("mcp__own__data", answer(JSON.stringify(data, null, 1), data)),
        await server.call("mcp__own__data", {
          message: { result: { content: [], structuredContent: data } },
        }),
        await server.call("Bash", { command: "seq 1 20000" }),
        await server.call("ListBgTasks"),
      ];
      expect(
        told.map((reply) =>
          contentOf(reply)
            .map(({ type }) => type)
            .join(),
        ),
      ).toEqual(["text", "text", "text", expect.stringMatching(/^text/), "text"]);
      expect(textOf(told[0] as never)).toBe("a sentence");
      expect(JSON.parse(textOf(told[2] as never))).toEqual(data);
      const longest = told.map((reply) => textOf(reply).length);
      expect(longest.filter((chars) => chars > 20_000)).toEqual([]);
    },
  );
});
