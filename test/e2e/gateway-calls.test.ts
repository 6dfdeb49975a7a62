import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ensureBuilt, productBinary, root } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { HttpServer } from "./harness/http-server.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamHome } from "./harness/upstream-home.ts";
import { readOf } from "./harness/told.ts";
import { isLongRun, longTest, onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const meta = (capabilities: object = {}): object => ({
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "e2e", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  },
});

/** Cuts a stream behind its first line. */
function firstLine(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      if (chunk.includes(10)) controller.terminate();
    },
  });
}

/** The texts of a tool's result. */
function said({ result, error }: ServerMessage): string {
  if (error !== undefined) return `${error.code}: ${error.message}`;
  const blocks = (result?.["content"] ?? []) as readonly { readonly text?: string }[];
  return blocks.map(({ text }) => text ?? "").join("\n");
}

function names({ result = {} }: ServerMessage): readonly string[] {
  return (result["tools"] as readonly { readonly name: string }[]).map(({ name }) => name);
}

/** The messages that the scripted server got. */
function got(
  file: string,
): readonly { readonly method?: string; readonly params?: Record<string, unknown> }[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { message: object }).message);
}

const eras = ["legacy", "modern"] as const;
const pairs = eras.flatMap((upstream) => eras.map((client) => [upstream, client] as const));

test.each([500, ...onlyLong([16])])(
  "[gateway.gw-17] of %d hidden tools one is called in the turn in which it was found, and the list stays",
  async (count) => {
    using home = upstreamHome({ big: [{ tools: count - 2 }], own: [{ tools: ["echo", "add"] }] });
    await using server = new Server({ home });
    await server.initialize();
    const before = await server.request("tools/list");
    expect(names(before).slice(-2)).toEqual(["tool_search", "tool_call"]);
    for (let search = 0; search < (isLongRun ? 100 : 5); search++) {
      const query = search === 0 ? "select:mcp__own__echo" : `tool ${search}`;
      const found = said(await server.call("tool_search", { query, limit: 1, detail: "name" }));
      if (search === 0) expect(found).toContain("mcp__own__echo");
    }
    expect(said(await server.call("mcp__own__echo", { text: "hi" }))).toBe("hi");
    const wrapped = { name: "mcp:own.add", arguments: { a: 1, b: 2 } };
    expect((await server.call("tool_call", wrapped)).result).toMatchObject({
      structuredContent: { sum: 3 },
    });
    expect(said(await server.call("mcp__own__ecko"))).toStartWith(
      "-32602: Unknown tool: mcp__own__ecko. Nearest: mcp__own__echo",
    );
    // One that no search has shown.
    expect(said(await server.call("mcp__big__tool_7", {}))).not.toContain("-32602");
    const after = await server.request("tools/list");
    expect(after.result).toEqual(before.result ?? {});
    expect(server.messages.filter(({ method }) => method !== undefined)).toEqual([]);
  },
);

test("[gateway.gw-04] MCP=0 reads, starts and lists no other server", async () => {
  using home = upstreamHome({});
  const starts = home.at("starts");
  let requests = 0;
  using web = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      requests++;
      return new Response("", { status: 404 });
    },
  });
  const args = [
    join(root, "test/fixtures/upstream/main.ts"),
    JSON.stringify({ startsFile: starts }),
  ];
  const own = { command: process.execPath, args };
  const mcpServers = { own, web: { url: `${web.url.href}mcp` } };
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers }));
  for (const [value, isOn] of [
    ["0", false],
    ["1", true],
  ] as const) {
    await using server = new Server({ home, env: { MCP: value } });
    await server.initialize();
    expect(names(await server.request("tools/list")).includes("tool_search")).toBe(isOn);
    const call = await server.call("mcp__own__echo", { text: "hi" });
    expect(said(call) === "hi").toBe(isOn);
    const others = await server.call("tool_search", { query: "echo" });
    expect(said(others).includes("Unknown tool: tool_search")).toBe(!isOn);
    expect([existsSync(starts), requests > 0]).toEqual([isOn, isOn]);
  }
});

describe.each(pairs)("a %s server and a %s client", (upstream, era) => {
  // Each era is on both sides; between two of one era the same two ends speak.
  const someTest = upstream === era ? longTest : test;
  const start = (name: string, args: object, more: object = {}): string | number => {
    const params = {
      name,
      arguments: args,
      ...(era === "modern" ? meta(capabilities) : {}),
      ...more,
    };
    return server.start("tools/call", params);
  };

  const capabilities = { elicitation: { form: {} } };
  /** For all three: each asks, cancels or is told of something that no other one does. */
  let server: Server;
  let home: TempFolder;
  const notes = new TempFolder();
  const log = notes.at("log");
  beforeAll(async () => {
    if (someTest === longTest && !isLongRun) return;
    home = upstreamHome({ own: [{ era: upstream, probe: "error", logFile: log }] });
    server = new Server({ home });
    if (era === "legacy") await server.initialize("2025-11-25", "e2e", capabilities);
    // Where processors are busy a call may come too early, which it is told.
    await eventually("its tools are known", async () => {
      const id = start("mcp__own__echo", { text: "hi" });
      return said(await server.reply(id)) === "hi";
    });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    home?.[Symbol.dispose]();
    notes[Symbol.dispose]();
  });

  someTest("[gateway.gw-29] asks the user, and goes on with the answer", async () => {
    const content = { action: "accept", content: { name: "Ann" } };
    const id = start("mcp__own__elicit", {});
    if (era === "legacy") {
      const asked = await server.message(
        "the question",
        ({ method }) => method === "elicitation/create",
      );
      expect(asked.params?.["message"]).toBe("own asks: What is your name?");
      server.send({ jsonrpc: "2.0", id: asked.id, result: content });
      expect(JSON.parse(said(await server.reply(id)))).toEqual({ only: content });
      return;
    }
    const { result = {} } = await server.reply(id);
    expect(result["resultType"]).toBe("input_required");
    const [[key, request] = ["", {}]] = Object.entries(
      result["inputRequests"] as Record<string, object>,
    );
    expect(request).toMatchObject({ params: { message: "own asks: What is your name?" } });
    const more = { requestState: result["requestState"], inputResponses: { [key]: content } };
    const forged = { ...more, requestState: `${String(result["requestState"]).slice(0, -4)}AAAA` };
    const refused = await server.reply(start("mcp__own__elicit", {}, forged));
    expect(refused.error?.code).toBe(-32602);
    const done = await server.reply(start("mcp__own__elicit", {}, more));
    expect(JSON.parse(said(done))).toEqual({ only: content });
  });

  someTest("[gateway.gw-28] a call is cancelled there, and nothing follows here", async () => {
    const id = start("mcp__own__hang", {});
    const isCalled = (): boolean => got(log).some(({ params }) => params?.["name"] === "hang");
    await eventually("it is called", isCalled);
    server.notify("notifications/cancelled", { requestId: id });
    await eventually("it is told", () =>
      got(log).some(({ method }) => method === "notifications/cancelled"),
    );
    const count = await server.reply(start("mcp__own__cancelled", {}));
    expect(said(count)).toBe("1");
    expect(server.messages.filter((message) => message.id === id)).toEqual([]);
  });

  someTest("[gateway.gw-27] progress comes under the client's token", async () => {
    const own = era === "modern" ? (meta() as { _meta: object })._meta : {};
    const id = server.start("tools/call", {
      name: "mcp__own__progress",
      arguments: { steps: 3, ms: 150 },
      _meta: { ...own, progressToken: "mine" },
    });
    await server.reply(id);
    const told = server.messages.filter(({ method }) => method === "notifications/progress");
    expect(new Set(told.map(({ params }) => params?.["progressToken"]))).toEqual(new Set(["mine"]));
    // Those that come at once, as where processors are busy, are one.
    const steps = told.map(({ params }) => Number(params?.["progress"]));
    expect([1, 2, 3].filter((step) => steps.includes(step))).toEqual(steps);
  });
});

test("[gateway.gw-26] a call that outlives the client's patience goes on, and nothing of it is lost", async () => {
  using home = upstreamHome({
    own: [
      { tools: ["big", { name: "slow", behaviour: "sleep", inputSchema: { type: "object" } }] },
    ],
  });
  await using server = new Server({ home, env: { SCORPIOX_CLIENT_BUDGET_MS: "1200" } });
  await server.initialize();
  const answer = said(await server.call("mcp__own__slow", { ms: 2500 }));
  expect(answer).toContain("goes on as background task 1");
  expect(said(await server.call("ListBgTasks"))).toContain("task_id 1: running");
  let output = "";
  await eventually("its end", async () => {
    const read = readOf(await server.call("ReadBgOutput", { task_id: 1, wait_ms: 500 }));
    output += read.output;
    return read.state !== "running";
  });
  expect(output).toBe("slept\n");
});

test("[gateway.gw-25] rules, hooks and the audit log see a tool by its own name, however it was called", async () => {
  using home = upstreamHome({ own: [{}] });
  const calls = home.at("calls");
  home.write(
    ".scorpiox/hooks/mcp_call/sync-log.sh",
    `#!/bin/sh\nprintf '%s\\n' "$4" >> '${calls}'\ncase "$4" in *'"stop"'*) echo 'not this one'; exit 3;; esac\n`,
    0o755,
  );
  home.write(
    ".scorpiox/policy.jsonc",
    JSON.stringify({ rules: [{ tool: "mcp__own__fail", action: "deny", reason: "never" }] }),
  );
  await using server = new Server({ home });
  await server.initialize();
  const forms: readonly (readonly [
    string,
    (name: string, args: object) => Record<string, unknown>,
  ])[] = [
    ["mcp__own__echo", (_name, args) => ({ ...args })],
    ["mcp:own.echo", (_name, args) => ({ ...args })],
    ["tool_call", (name, args) => ({ name: `mcp__own__${name}`, arguments: args })],
  ];
  for (const [form, argsOf] of forms) {
    expect(said(await server.call(form, argsOf("echo", { text: "go" })))).toBe("go");
    expect(said(await server.call(form, argsOf("echo", { text: "stop" })))).toContain(
      "not this one",
    );
    const denied = await server.call(form.replace("echo", "fail"), argsOf("fail", { text: "x" }));
    expect(said(denied)).toContain("mcp__own__fail was not run");
  }
  const told = readFileSync(calls, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const facts = told.map(({ tool, server: name, upstream_tool, phase }) =>
    [tool, name, upstream_tool, phase].join(" "),
  );
  const once = [
    "mcp__own__echo own echo pre",
    "mcp__own__echo own echo post",
    "mcp__own__echo own echo pre",
  ];
  expect(facts).toEqual([...once, ...once, ...once]);
  server.endInput();
  await server.ended();
  const [file = ""] = [
    ...new Bun.Glob("audit/*").scanSync({ cwd: home.at(".scorpiox"), absolute: true }),
  ];
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(
    lines.map(({ tool, server: name, upstreamTool, alias, decision }) =>
      [tool, name, upstreamTool, alias ?? "-", decision].join(" "),
    ),
  ).toEqual([
    "mcp__own__echo own echo - allowed",
    "mcp__own__echo own echo - vetoed",
    "mcp__own__fail own fail - denied",
    "mcp__own__echo own echo mcp:own.echo allowed",
    "mcp__own__echo own echo mcp:own.echo vetoed",
    "mcp__own__fail own fail mcp:own.fail denied",
    "mcp__own__echo own echo - allowed",
    "mcp__own__echo own echo - vetoed",
    "mcp__own__fail own fail - denied",
  ]);
});

describe.each(eras)("a %s server behind a rule and a hook that ask", (upstream) => {
  posixTest("[gateway.gw-29] asks after them, and all are answered once", async () => {
    using home = upstreamHome({ own: [{ era: upstream, probe: "error", tools: ["rounds"] }] });
    const hook = [
      "#!/bin/sh",
      `echo "$SX_PHASE" >> ${home.at("phases")}`,
      `[ "$SX_PHASE" = post ] || echo '{"decision":"ask","updated_arguments":{"count":1}}'`,
    ];
    home.write(".scorpiox/hooks/mcp_call/sync-a", `${hook.join("\n")}\n`, 0o755);
    const match = { arguments: { count: "2" } };
    const rules = [{ tool: "mcp__own", match, action: "ask" }];
    home.write(".scorpiox/policy.jsonc", JSON.stringify({ rules }));
    await using server = new Server({ home });
    const wrapped = { name: "tool_call", arguments: { name: "rounds", arguments: { count: 2 } } };
    const call = { ...wrapped, ...meta({ elicitation: { form: {} } }) };
    const asked: string[] = [];
    let reply = await server.request("tools/call", call);
    while (reply.result?.["resultType"] === "input_required" && asked.length < 5) {
      const { requestState, inputRequests } = reply.result;
      const entries = Object.entries(inputRequests as Record<string, FormRequest>);
      const answers = entries.map(([key, { params }]) => {
        asked.push(params.message.replaceAll(/\s+/g, " "));
        const [field = ""] = Object.keys(params.requestedSchema.properties);
        const value = params.message.startsWith("own asks") ? "Ann" : "Allow once";
        return [key, { action: "accept", content: { [field]: value } }];
      });
      const inputResponses = Object.fromEntries(answers) as object;
      reply = await server.request("tools/call", { ...call, requestState, inputResponses });
    }
    expect(said(reply)).toContain("Ann");
    expect(asked).toEqual([
      expect.stringMatching(/rule 1.*│ "count": 2/) as unknown as string,
      expect.stringMatching(/sync-a.*│ "count": 1/) as unknown as string,
      "own asks: round 1",
    ]);
    expect(readFileSync(home.at("phases"), "utf8")).toBe("pre\npost\n");
  });
});

interface FormRequest {
  readonly params: {
    readonly message: string;
    readonly requestedSchema: { readonly properties: object };
  };
}

test("[gateway.gw-40] what a client authorizes itself with never reaches another server", async () => {
  const token = "laptop-0123456789abcdef";
  const program = join(root, "test/fixtures/upstream/main.ts");
  const far = Bun.spawn([process.execPath, program, "{}", "--http", "0"], { stdout: "pipe" });
  try {
    const line = await new Response(far.stdout.pipeThrough(firstLine())).text();
    const { port } = JSON.parse(line) as { port: number };
    using home = upstreamHome({ near: [{}] });
    const near = readFileSync(home.at(".scorpiox/config.toml"), "utf8");
    home.write(
      ".scorpiox/config.toml",
      `${near}\n[mcp.servers.far]\nurl = "http://127.0.0.1:${port}/mcp"\n`,
    );
    await using server = await HttpServer.start({ home, tokens: [`laptop ${token}`] });
    const seen: string[] = [];
    for (const name of [
      "mcp__far__headers",
      "mcp__far__meta",
      "mcp__near__env",
      "mcp__near__meta",
    ]) {
      const answer = await server.client.modern("tools/call", { name, arguments: {} });
      seen.push(JSON.stringify(answer));
    }
    expect(seen[0]).toContain("content-type");
    expect(seen[2]).toContain("PATH");
    expect(seen.filter((text) => text.includes(token) || /bearer/i.test(text))).toEqual([]);
  } finally {
    far.kill();
  }
});

describe.each(["legacy", "modern"] as const)(
  "a server that the project names, %s client",
  (era) => {
    const capabilities = { elicitation: { form: {} } };
    const form = (answer: string): object => ({ action: "accept", content: { answer1: answer } });

    const approve = ["Approve", true] as const;
    const deny = ["Deny", false] as const;
    const [first, second] = era === "legacy" ? [approve, deny] : [deny, approve];
    test.each([first, ...onlyLong([second])])(
      "[gateway.gw-22] is asked about when tools are looked for, and %s counts",
      async (answer, isStarted) => {
        using home = upstreamHome({});
        const program = join(root, "test/fixtures/upstream/main.ts");
        const entry = { command: process.execPath, args: [program, "{}"] };
        home.write("project/.mcp.json", JSON.stringify({ mcpServers: { theirs: entry } }));
        await using server = new Server({ home, cwd: home.at("project") });
        if (era === "legacy") await server.initialize("2025-11-25", "e2e", capabilities);
        const params = {
          name: "tool_search",
          arguments: { query: "echo" },
          ...(era === "modern" ? meta(capabilities) : {}),
        };
        const searching = server.start("tools/call", params);
        if (era === "legacy") {
          const asked = await server.message(
            "the question",
            ({ method }) => method === "elicitation/create",
          );
          expect(String(asked.params?.["message"])).toContain(program);
          server.send({ jsonrpc: "2.0", id: asked.id, result: form(answer) });
          await server.reply(searching);
        } else {
          const { result = {} } = await server.reply(searching);
          const { requestState, inputRequests } = result as {
            requestState: string;
            inputRequests: object;
          };
          expect(JSON.stringify(inputRequests)).toContain(program);
          const inputResponses = Object.fromEntries(
            Object.keys(inputRequests).map((key) => [key, form(answer)]),
          );
          await server.reply(
            server.start("tools/call", { ...params, requestState, inputResponses }),
          );
        }
        const call = (): Promise<ServerMessage> =>
          server.request("tools/call", {
            name: "mcp__theirs__echo",
            arguments: { text: "hi" },
            ...(era === "modern" ? meta(capabilities) : {}),
          });
        if (isStarted) await eventually("it is started", async () => said(await call()) === "hi");
        else expect(said(await call())).toContain("Unknown tool");
      },
    );
  },
);
