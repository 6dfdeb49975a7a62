import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { within } from "./harness/conditions.ts";
import { onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { contentOf, isError, legacyVersions, modern, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { allResourcesOf, contentsText, isUpdateOf } from "./harness/resources.ts";
import { Server, type ServerMessage, testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const uri = "scorpiox://callbacks";

/** Fires after a second, this often. */
function setting(message: string, repeatCount = 1): Record<string, unknown> {
  return { action: "set", message, delay_seconds: 1, repeat_count: repeatCount };
}

function calling(args: Record<string, unknown>): Record<string, unknown> {
  return { name: "SetCallback", arguments: args };
}

const list = { action: "list" };

const isLog =
  (fireId: number) =>
  ({ method, params }: ServerMessage): boolean =>
    method === "notifications/message" &&
    (params?.["data"] as { fireId?: unknown } | undefined)?.fireId === fireId;

const isSampling = ({ method }: ServerMessage): boolean => method === "sampling/createMessage";

/** What the model of a client says to it. */
const answer = {
  role: "assistant" as const,
  model: "m",
  content: { type: "text" as const, text: "thanks" },
};

const line = (fireId: number, message: string, callbackId = 0): string =>
  `[Callback ${callbackId}, fire ${fireId}] Reminder set with SetCallback: ${message}`;

/** The lines at the end of a result, in the block after its own text. */
function mailOf(reply: ServerMessage): readonly string[] {
  const texts = contentOf(reply).map(({ text = "" }) => text);
  return texts
    .map((text) => text.trimStart())
    .filter((text) => text.startsWith("["))
    .flatMap((text) => text.split("\n"));
}

describe.concurrent("SetCallback on a pipe", () => {
  test.each([legacyVersions[0], legacyVersions[3]])(
    "[callbacks.ways] log, resource and the next result tell of each fire, in %s",
    async (version) => {
      await using server = new Server();
      await server.initialize(version);
      expect((await server.request("resources/subscribe", { uri })).result).toEqual({});
      const set = await server.call("SetCallback", setting("look\nat \u001b[31mit", 2));
      expect(contentOf(set)[0]?.text).toBe(
        "Callback scheduled: fires every 1s, repeats 2 times.\ncallback_id: 0 (1/8 in use)",
      );
      const log = await server.message("the second fire", isLog(2));
      const message = "look at \\u{1b}[31mit";
      expect(log.params).toEqual({
        level: "info",
        logger: "callbacks",
        data: { callbackId: 0, fireId: 2, message, firesLeft: 0 },
      });
      const listed = await server.call("SetCallback", list);
      expect(contentOf(listed)[0]?.text).toBe("No active callbacks.");
      expect(mailOf(listed)).toEqual([line(1, message), line(2, message)]);
      expect(mailOf(await server.call("SetCallback", list))).toEqual([]);
      // One for the setting and one for each fire; none of them more than once.
      expect(server.messages.filter(isUpdateOf(uri)).length).toBe(3);
      expect([1, 2].map((fireId) => server.messages.filter(isLog(fireId)).length)).toEqual([1, 1]);
      expect(server.messages.filter(({ method }) => method?.includes("channel")).length).toBe(0);
    },
  );

  test("[callbacks.slots] eight slots, listed with the time and the fires that are left", async () => {
    await using server = new Server();
    await server.initialize();
    const far = { action: "set", message: "far", delay_seconds: 3_600 };
    for (let slot = 0; slot < 8; slot++) {
      const repeats = slot === 0 ? { repeat_count: -1 } : {};
      expect(isError(await server.call("SetCallback", { ...far, ...repeats }))).toBe(false);
    }
    const ninth = await server.call("SetCallback", far);
    expect([isError(ninth), textOf(ninth)]).toEqual([
      true,
      "Error: all callback slots full (max 8)",
    ]);
    // Seconds go by meanwhile.
    const untimed = (text = ""): string => text.replaceAll(/next in 3[56]\d\ds/g, "next in T");
    const all = untimed(textOf(await server.call("SetCallback", list)));
    expect(all.split("\n").slice(0, 3)).toEqual([
      "Active callbacks (8/8):",
      "0: far (every 3600s, next in T, repeats forever)",
      "1: far (every 3600s, next in T, 20 left)",
    ]);
    expect(untimed(contentsText(await server.request("resources/read", { uri })))).toBe(all);
    expect(textOf(await server.call("SetCallback", { action: "cancel", callback_id: 5 }))).toBe(
      "Cancelled: callback 5 (7/8 in use).",
    );
    const missing = await server.call("SetCallback", { action: "cancel", callback_id: 5 });
    expect([isError(missing), textOf(missing)]).toEqual([
      true,
      "No callback has the id 5. In use: 0, 1, 2, 3, 4, 6, 7.",
    ]);
    expect(isError(await server.call("SetCallback", far))).toBe(false);
    await server.call("SetCallback", { action: "cancel" });
    expect(textOf(await server.call("SetCallback", list))).toBe("No active callbacks.");
  });

  test("[callbacks.idle] a call keeps fires back for its time and a full delay", async () => {
    await using server = new Server();
    await server.initialize();
    await server.call("SetCallback", { ...setting("later"), delay_seconds: 3 });
    await server.call("Bash", { command: "sleep 3.2" });
    const endedAt = performance.now();
    expect(server.messages.filter(isLog(1))).toEqual([]);
    await server.message("the fire", isLog(1));
    // Of three seconds: where processors are busy the end of the call is seen late. Without the delay it is none.
    expect(performance.now() - endedAt).toBeGreaterThan(500);
  });

  test("[callbacks.mail] a cancelled call takes no lines, the next one has them", async () => {
    await using server = new Server();
    await server.initialize();
    await server.call("SetCallback", setting("kept"));
    await server.message("the fire", isLog(1));
    const call = { name: "Bash", arguments: { command: "echo begun; sleep 300" } };
    const id = server.start("tools/call", { ...call, _meta: { progressToken: "t" } });
    await server.message("output", ({ method }) => method === "notifications/progress");
    server.notify("notifications/cancelled", { requestId: id });
    expect(mailOf(await server.call("Bash", { command: "true" }))).toEqual([line(1, "kept")]);
    expect(mailOf(await server.call("Bash", { command: "true" }))).toEqual([]);
  });

  test("[callbacks.modern] the line of a modern client comes with its next result", async () => {
    await using server = new Server();
    const bad = { ...setting("modern"), delay_seconds: 3_601 };
    const refused = await server.request("tools/call", modern(calling(bad)));
    expect([isError(refused), textOf(refused)]).toEqual([
      true,
      "delay_seconds is 3601; it must be from 1 to 3600.",
    ]);
    await server.request("tools/call", modern(calling(setting("modern"))));
    const subscription = { notifications: { resourceSubscriptions: [uri] } };
    server.start("subscriptions/listen", modern(subscription));
    await server.message("an update", isUpdateOf(uri));
    const reply = await server.request("tools/call", modern(calling(list)));
    expect(mailOf(reply)).toEqual([line(1, "modern")]);
    expect(server.messages.filter(({ method }) => method === "notifications/message")).toEqual([]);
  });
});

test("[callbacks.ways] an SDK client is sampled and has the message in its channel", async () => {
  using home = new TempFolder();
  const experimental = { "claude/channel": {} };
  const client = new Client(
    { name: "e2e", version: "1" },
    { capabilities: { sampling: {}, experimental } },
  );
  const sampled = Promise.withResolvers<unknown>();
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    sampled.resolve(params);
    return answer;
  });
  const pushed = Promise.withResolvers<unknown>();
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (method === "notifications/claude/channel") pushed.resolve(params);
  };
  const env = { ...testEnvironment(home.path), SCORPIOX_MODEL: "haiku" };
  const parameters = { command: productBinary, env, cwd: home.path, stderr: "pipe" as const };
  try {
    await client.connect(new StdioClientTransport(parameters));
    expect(client.getServerCapabilities()?.experimental).toEqual(experimental);
    await client.callTool({ name: "SetCallback", arguments: setting("hello") });
    const text = "Reminder set with SetCallback: hello";
    expect(await within("a channel message", 10_000, pushed.promise)).toEqual({
      content: text,
      meta: { callback_id: "0", fire_id: "1" },
    });
    expect(await within("a sampling request", 10_000, sampled.promise)).toEqual({
      messages: [{ role: "user", content: { type: "text", text } }],
      modelPreferences: { hints: [{ name: "haiku" }] },
      maxTokens: 64,
    });
    const { content } = await client.callTool({ name: "SetCallback", arguments: list });
    expect(content).toEqual([
      { type: "text", text: "No active callbacks." },
      { type: "text", text: `\n${line(1, "hello")}` },
    ]);
  } finally {
    await client.close();
  }
});

describe.concurrent("SetCallback over HTTP", () => {
  let server: HttpServer;
  beforeAll(async () => {
    server = await HttpServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("[callbacks.owner] a session is told on its stream, and no other session", async () => {
    const session = await server.initialize("2025-11-25", { sampling: {} });
    const other = await server.initialize("2025-11-25", { sampling: {} });
    const [own, foreign] = [await session.listen(), await other.listen()];
    await session.request("resources/subscribe", { uri });
    await other.request("resources/subscribe", { uri });
    await session.call("SetCallback", setting("mine", 2));
    await own.message("the fire", isLog(1));
    const sampling = await own.message("a sampling request", isSampling);
    await session.respond(sampling.id, answer);
    await own.message("the second fire", isLog(2));
    // The second is asked because the first was answered.
    const isNext = (message: ServerMessage): boolean =>
      isSampling(message) && message.id !== sampling.id;
    await own.message("a second request", isNext);
    await own.message("the update", isUpdateOf(uri));
    expect(mailOf(await other.call("SetCallback", list))).toEqual([]);
    expect(contentsText(await other.request("resources/read", { uri }))).toBe(
      "No active callbacks.",
    );
    expect(mailOf(await session.call("SetCallback", list))).toEqual([
      line(1, "mine"),
      line(2, "mine"),
    ]);
    await foreign.close();
    expect(foreign.messages).toEqual([]);
    await own.close();
  });

  test("[callbacks.owner] a client without a stream has the line; modern clients are others", async () => {
    const session = await server.initialize();
    const opening = await server.modern("resources/list");
    expect(allResourcesOf(onlyMessage(opening).result).map((each) => each["uri"])).toContain(uri);
    const notifications = { resourceSubscriptions: [uri] };
    const listening = await server.client.openModern("subscriptions/listen", { notifications }, 1);
    await session.call("SetCallback", setting("session"));
    await server.modern("tools/call", calling(setting("modern")));
    await listening.message("the setting", isUpdateOf(uri));
    const updates = (): number => listening.messages.filter(isUpdateOf(uri)).length;
    while (updates() < 2) await Bun.sleep(20);
    const reply = onlyMessage(await server.modern("tools/call", calling(list)));
    expect(mailOf(reply)).toEqual([line(1, "modern")]);
    await listening.close();
    expect(updates()).toBe(2);
    expect(mailOf(await session.call("SetCallback", list))).toEqual([line(1, "session")]);
  });
});
