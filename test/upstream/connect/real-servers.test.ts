import { describe, expect, test } from "bun:test";

import type { InputRequest } from "../../../src/protocol/input-request.ts";
import type { Params } from "../../../src/protocol/json-rpc.ts";
import type { Endpoint, UpstreamConnection } from "../../../src/upstream/connect/connection.ts";
import { startFixtureProcess } from "../../../scripts/conformance/fixture-process.ts";
import { everythingProgram, startEverything } from "../../e2e/harness/everything-server.ts";
import { spawnProcess } from "../../fixtures/upstream/spawn.ts";
import { openScripted, toolCall } from "./open-scripted.ts";

function answer(request: InputRequest): Promise<Params> {
  if (request.method === "roots/list")
    return Promise.resolve({ roots: [{ uri: "file:///client" }] });
  if (request.method === "elicitation/create") return Promise.resolve({ action: "decline" });
  const content = { type: "text", text: "sampled" };
  return Promise.resolve({ role: "assistant", content, model: "m" });
}

/** What is to be seen of the reference server, whatever carries it. */
async function walk(connection: UpstreamConnection): Promise<unknown> {
  const { signal } = new AbortController();
  const { tools, prompts, resources, templates, problems } = await connection.readCatalogue(signal);
  const text = async (name: string, args: Params = {}): Promise<string> => {
    const reply = await connection.request(toolCall(name, args, { ask: answer }));
    return JSON.stringify(reply.kind === "result" ? (reply.result as Params).content : reply);
  };
  let progress = 0;
  const onProgress = (): void => void (progress += 1);
  const long = { duration: 0.1, steps: 4 };
  await connection.request(toolCall("trigger-long-running-operation", long, { onProgress }));
  const uri = resources[0]?.uri ?? "";
  const read = { ...toolCall(""), method: "resources/read" as const, params: { uri } };
  const get = {
    ...toolCall(""),
    method: "prompts/get" as const,
    params: { name: "simple-prompt" },
  };
  const complete = {
    ...toolCall(""),
    method: "completion/complete" as const,
    params: {
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "department", value: "E" },
    },
  };
  const replies = [
    await connection.request(read),
    await connection.request(get),
    await connection.request(complete),
  ];
  await connection.ping(signal);
  return {
    problems,
    counts: [prompts.length, resources.length, templates.length].map((count) => count > 0),
    hasTools: tools.some(({ name }) => name === "echo"),
    echo: await text("echo", { message: "hi" }),
    sampled: (await text("trigger-sampling-request", { prompt: "p", maxTokens: 9 })).includes(
      "sampled",
    ),
    declined: (await text("trigger-elicitation-request")).includes("declined"),
    replies: replies.map(({ kind }) => kind),
    subscribed: await connection.subscribe(uri, "one"),
    progress,
  };
}

const seen = {
  problems: [],
  counts: [true, true, true],
  hasTools: true,
  echo: '[{"type":"text","text":"Echo: hi"}]',
  sampled: true,
  declined: true,
  replies: ["result", "result", "result"],
  subscribed: true,
  progress: 4,
};

describe("the reference server [GW-43]", () => {
  test("over a pipe", async () => {
    await using process = spawnProcess([everythingProgram, "stdio"]);
    await using again = spawnProcess([everythingProgram, "stdio"]);
    const starts = [process, again];
    const spawn = (): Promise<typeof process> => Promise.resolve(starts.shift() ?? process);
    const endpoint: Endpoint = { transport: "stdio", spawn };
    await using opened = await openScripted(
      "stdio",
      {},
      { options: { endpoint, initTimeoutMs: 20_000 } },
    );
    expect(await walk(opened.connection)).toEqual(seen);
  }, 60_000);

  test.each([
    ["streamable HTTP", "mcp"],
    ["the form of 2024-11-05", "sse"],
  ] as const)(
    "over %s",
    async (_, form) => {
      await using server = await startEverything(form);
      const endpoint: Endpoint = { transport: "http", url: server.url, headers: {} };
      await using opened = await openScripted("http", {}, { options: { endpoint } });
      expect(await walk(opened.connection)).toEqual(seen);
    },
    60_000,
  );
});

describe("our own core, as the server", () => {
  test.each(["modern", "legacy"] as const)("%s", async (era) => {
    await using core = await startFixtureProcess();
    const endpoint: Endpoint = { transport: "http", url: core.url, headers: {} };
    await using opened = await openScripted("http", {}, { options: { endpoint, era } });
    const { connection } = opened;
    const { tools, problems } = await connection.readCatalogue(new AbortController().signal);
    expect([connection.era, problems, tools.length > 10]).toEqual([era, [], true]);
    const reply = await connection.request(toolCall("test_simple_text"));
    expect(reply).toMatchObject({ kind: "result" });
    const asked = await connection.request(
      toolCall("test_elicitation", { message: "m" }, { ask: answer }),
    );
    expect(asked.kind).toBe(era === "modern" ? "input-required" : "result");
  });
});
