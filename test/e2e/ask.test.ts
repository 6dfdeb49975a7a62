import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { faultyBinary } from "./harness/binary.ts";
import { isError, textOf } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { Server, type ServerMessage } from "./harness/server.ts";

setDefaultTimeout(testMsMax);

const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** How many requests the server has sent before a test begins to count. */
const sentBefore = new WeakMap<Server, number>();

async function startSession(
  version = "2025-11-25",
  capabilities: Readonly<Record<string, unknown>> = {},
): Promise<Server> {
  const server = new Server({ binary: faultyBinary });
  await server.initialize(version, "e2e", capabilities);
  if (!("roots" in capabilities)) return server;
  // The first list or call asks for the roots, once in a session.
  const id = server.start("tools/list");
  answer(server, await question(server), { roots: [] });
  await server.reply(id);
  sentBefore.set(server, 1);
  return server;
}

/** The server's n-th question, come or to come. */
function question(server: Server, number = 1): Promise<ServerMessage> {
  const id = `server-${number + (sentBefore.get(server) ?? 0)}`;
  return server.message(
    `question ${number}`,
    (message) => message.id === id && message.method !== undefined,
  );
}

function answer(server: Server, asked: ServerMessage, result: unknown): void {
  server.send({ jsonrpc: "2.0", id: asked.id, result });
}

function accept(content: Readonly<Record<string, unknown>>): object {
  return { action: "accept", content };
}

const callOf = (name: string, args: object): object => ({ name, arguments: args });

describe("in a session", () => {
  test.each([
    ["2025-06-18", 0, { elicitation: {} }],
    ["2025-11-25", "", { elicitation: {} }],
    ["2025-11-25", "1", everything],
  ])("[ask.session] %s: a call with the id %j asks", async (version, id, capabilities) => {
    await using server = await startSession(version, capabilities);
    server.start("tools/call", callOf("AskingGreet", {}), id);
    const asked = await question(server);
    expect(asked.method).toBe("elicitation/create");
    expect(asked.params?.["message"]).toBe("What is your name?");
    answer(server, asked, accept({ name: "Ada" }));
    expect(textOf(await server.reply(id))).toBe("Hello, Ada");
  });

  test("[ask.session] many calls at once, answered in any order", async () => {
    await using server = await startSession("2025-11-25", everything);
    const calls = Array.from({ length: 30 }, (_, index) =>
      server.call("AskingGreet", { greeting: `G${index}` }),
    );
    const asked = await Promise.all(calls.map((_, index) => question(server, index + 1)));
    for (const each of asked.toReversed()) answer(server, each, accept({ name: "Ada" }));
    const texts = (await Promise.all(calls)).map(textOf);
    expect(texts).toEqual(calls.map((_, index) => `G${index}, Ada`));
  });

  test("[ask.session] four kinds at once", async () => {
    await using server = await startSession("2025-11-25", everything);
    const call = server.call("AskingAnything", { kinds: ["form", "url", "sampling", "roots"] });
    const asked = await Promise.all([1, 2, 3, 4].map((number) => question(server, number)));
    const message = { role: "assistant", model: "m", content: { type: "text", text: "Paris" } };
    const roots = { roots: [{ uri: "file:///a" }] };
    const answers = [{ action: "decline" }, { action: "accept" }, message, roots];
    answers.forEach((each, index) => answer(server, asked[index] as ServerMessage, each));
    const [form, url, sampling, list] = answers;
    expect(JSON.parse(textOf(await call))).toEqual({ form, url, sampling, roots: list });
  });

  test.each([
    ["2024-11-05", everything],
    ["2025-03-26", everything],
    ["2025-11-25", { sampling: {} }],
    ["2025-11-25", { elicitation: { url: {} } }],
  ])("[ask.declared] %s with %j: a tool finds another way", async (version, capabilities) => {
    await using server = await startSession(version, capabilities);
    expect(textOf(await server.call("AskingGreet"))).toBe("Hello, whoever you are");
    const reply = await server.call("AskingAnything", { kinds: ["form"] });
    expect([isError(reply), textOf(reply)]).toEqual([
      true,
      "The client did not declare that it can be asked for: form.",
    ]);
  });

  test("[ask.malformed] the tool fails with the reason", async () => {
    await using server = await startSession("2025-11-25", everything);
    const call = server.call("AskingGreet");
    answer(server, await question(server), accept({ name: 5 }));
    expect(textOf(await call)).toBe(
      "The client's answer to elicitation/create is malformed: `name` must be a string.",
    );
  });

  test("[ask.cancelled] and others go on", async () => {
    await using server = await startSession("2025-11-25", everything);
    const id = server.start("tools/call", callOf("AskingGreet", {}), "gone");
    const first = await question(server, 1);
    const other = server.call("AskingGreet");
    const second = await question(server, 2);
    server.notify("notifications/cancelled", { requestId: id });
    await server.message("the question's end", ({ method, params }) => {
      return method === "notifications/cancelled" && params?.["requestId"] === first.id;
    });
    answer(server, first, accept({ name: "Ada" }));
    answer(server, second, accept({ name: "Bob" }));
    expect(textOf(await other)).toBe("Hello, Bob");
    expect(server.messages.some((message) => message.id === id)).toBe(false);
  });

  posixTest("[ask.once] the Worker is lost after two answers", async () => {
    await using server = await startSession("2025-11-25", { elicitation: {} });
    const call = server.call("AskingOrder", { seconds: 1 });
    answer(server, await question(server, 1), accept({ dish: "soup" }));
    answer(server, await question(server, 2), accept({ drink: "tea" }));
    expect(isError(await server.call("FaultyExit"))).toBe(true);
    expect(textOf(await call)).toBe("started\nsoup and tea\n");
    const asked = server.messages.filter(({ method }) => method === "elicitation/create");
    expect(asked).toHaveLength(2);
  });

  test("[ask.once] a tool that asks late is free to in a session", async () => {
    await using server = await startSession("2025-11-25", { elicitation: {} });
    const call = server.call("AskingLate");
    answer(server, await question(server), accept({ name: "Ada" }));
    expect(textOf(await call)).toBe("then Ada");
  });
});
