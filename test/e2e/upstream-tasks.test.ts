import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { envelope, metaKeys } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { upstreamHome } from "./harness/upstream-home.ts";
import { readOf } from "./harness/told.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

type Era = "legacy" | "modern";
const eras = ["legacy", "modern"] as const;
const pairs = [
  ["legacy", "modern"],
  ["modern", "legacy"],
  ...onlyLong(eras.map((era) => [era, era] as const)),
] as const;
const capabilities = { elicitation: { form: {} } };

/** A server with one tool, which can be called as a task only. */
const script = (era: Era, more: object = {}): object => ({
  era,
  tools: [
    { name: "work", inputSchema: { type: "object" }, execution: { taskSupport: "required" } },
  ],
  capabilities:
    era === "legacy"
      ? { tasks: { cancel: {}, requests: { tools: { call: {} } } } }
      : { extensions: { "io.modelcontextprotocol/tasks": {} } },
  ...more,
});

/** Begins a call of that tool. */
function start(server: Server, client: Era, args: object, more: object = {}): string | number {
  const own = client === "modern" ? { ...envelope, [metaKeys.capabilities]: capabilities } : {};
  const _meta = { ...own, progressToken: "mine" };
  return server.start("tools/call", { name: "mcp__own__work", arguments: args, _meta, ...more });
}

function said({ result, error }: ServerMessage): string {
  if (error !== undefined) return `${error.code}: ${error.message}`;
  const blocks = (result?.["content"] ?? []) as readonly { readonly text?: string }[];
  return blocks.map(({ text }) => text ?? "").join("\n");
}

/** How often the scripted server was asked for something. */
function count(logFile: string, method: string): number {
  return existsSync(logFile) ? readFileSync(logFile, "utf8").split(`"${method}"`).length - 1 : 0;
}

describe.each(pairs)("[gateway.tasks] a tool of a %s server, a %s client", (upstream, client) => {
  test("its task is made, what it asks is asked, and its result is the call's", async () => {
    using home = upstreamHome({ own: [script(upstream)] });
    await using server = new Server({ home });
    if (client === "legacy") await server.initialize("2025-11-25", "e2e", capabilities);
    const answer = { action: "accept", content: { name: "Ada" } };
    let id = start(server, client, { ask: true });
    if (client === "legacy") {
      const asked = await server.message(
        "the question",
        ({ method }) => method === "elicitation/create",
      );
      expect(asked.params).toMatchObject({ message: "own asks: Whose work?" });
      server.send({ jsonrpc: "2.0", id: asked.id, result: answer });
    } else {
      const { result = {} } = await server.reply(id);
      const { inputRequests, requestState } = result;
      const keys = Object.keys(inputRequests as object);
      const inputResponses = Object.fromEntries(keys.map((key) => [key, answer]));
      id = start(server, client, { ask: true }, { requestState, inputResponses });
    }
    expect(said(await server.reply(id))).toBe(`worked for ${JSON.stringify(answer)}`);
  });

  test("what its server says of it is progress, and cancelling the call cancels it", async () => {
    using home = upstreamHome({});
    const logFile = home.at("log");
    using made = upstreamHome({ own: [script(upstream, { logFile })] });
    const config = ".scorpiox/config.toml";
    home.write(config, readFileSync(made.at(config), "utf8"));
    await using server = new Server({ home });
    if (client === "legacy") await server.initialize("2025-11-25", "e2e", capabilities);
    const id = start(server, client, { end: "never" });
    const step = await server.message(
      "progress",
      ({ method, params }) =>
        method === "notifications/progress" && params?.["message"] !== "look 0",
    );
    expect(step.params).toMatchObject({
      progressToken: "mine",
      progress: expect.any(Number) as number,
      message: expect.stringMatching(/^look \d+$/) as string,
    });
    server.notify("notifications/cancelled", { requestId: id });
    await eventually("it is cancelled there", () => count(logFile, "tasks/cancel") === 1);
    expect(server.messages.filter((message) => message.id === id)).toEqual([]);
  });
});

test.each(eras)(
  "[gateway.tasks] one of a %s server that outlives the client's patience goes on",
  async (era) => {
    using home = upstreamHome({ own: [script(era)] });
    await using server = new Server({ home, env: { SCORPIOX_CLIENT_BUDGET_MS: "1200" } });
    await server.initialize();
    const answer = said(await server.reply(start(server, "legacy", { looks: 20 })));
    expect(answer).toContain("goes on as background task 1");
    let output = "";
    await eventually("its end", async () => {
      const read = readOf(await server.call("ReadBgOutput", { task_id: 1, wait_ms: 500 }));
      output += read.output;
      return read.state !== "running";
    });
    expect(output).toBe("worked\n");
  },
);

test("[gateway.tasks] that a server knows no tasks is told", async () => {
  using home = upstreamHome({ own: [script("legacy", { capabilities: {} })] });
  await using server = new Server({ home });
  await server.initialize();
  expect(said(await server.reply(start(server, "legacy", {})))).toBe(
    "The server own could not be asked for work: The tool can only be called as a task, but its server does not declare support for tasks. That is a fault of the server.",
  );
});
