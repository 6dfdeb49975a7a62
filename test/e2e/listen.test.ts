import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { Gate } from "./harness/gate.ts";
import { HttpServer } from "./harness/http-server.ts";
import { metaKeys, modern } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { isListChange, isUpdateOf, startedUri, urisOf } from "./harness/resources.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { onlyMessage } from "./harness/http-client.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

type Id = string | number;

const everything = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

function subscriptionOf(message: ServerMessage): unknown {
  const holder = message.params ?? message.result;
  return (holder?.["_meta"] as Record<string, unknown> | undefined)?.[metaKeys.subscription];
}

/** Messages that speak of a subscription: tagged with its id, or with its id. */
function speaksOf(id: Id): (message: ServerMessage) => boolean {
  return (message) => subscriptionOf(message) === id || message.id === id;
}

const isAcknowledged =
  (id: Id) =>
  (message: ServerMessage): boolean =>
    message.method === "notifications/subscriptions/acknowledged" && subscriptionOf(message) === id;

/** Opens a subscription on a pipe and waits for its acknowledgement. */
async function listen(server: Server, id: Id, notifications: object): Promise<ServerMessage> {
  server.start("subscriptions/listen", modern({ notifications }), id);
  return server.message("an acknowledgement", isAcknowledged(id));
}

function background(command: string): Record<string, unknown> {
  return { name: "BackgroundBash", arguments: { command } };
}

async function startTask(server: Server, command: string): Promise<string> {
  return startedUri(await server.request("tools/call", modern(background(command))));
}

describe("on a pipe", () => {
  test("[listen.acknowledged] says what is honoured, before anything else", async () => {
    using gate = new Gate();
    await using server = new Server();
    const uri = await startTask(server, gate.wait);
    const resourceSubscriptions = [uri, "scorpiox://background/99", "file:///etc/passwd"];
    const first = await listen(server, "l", { ...everything, resourceSubscriptions });
    expect(first.params?.["notifications"]).toEqual({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [uri],
    });
    await startTask(server, "true");
    await server.message("a change of the list", isListChange);
    expect(server.messages.filter(speaksOf("l"))[0]).toEqual(first);
  });

  test.each<[Id]>([[0], [""], ...onlyLong<[Id]>([["0"], [77]])])(
    "[listen.updates] of id %p",
    async (id) => {
      using gate = new Gate();
      await using server = new Server();
      const uri = await startTask(server, gate.command("before", "after"));
      const other = await startTask(server, gate.wait);
      await listen(server, id, { resourceSubscriptions: [uri] });
      gate.open();
      const update = await server.message(
        "an update",
        (message) => isUpdateOf(uri)(message) && subscriptionOf(message) === id,
      );
      expect(update.params).toEqual({ uri, _meta: { [metaKeys.subscription]: id } });
      await startTask(server, "true");
      expect(server.messages.filter(isUpdateOf(other))).toEqual([]);
      expect(server.messages.filter(isListChange)).toEqual([]);
    },
  );

  test("[listen.updates] two subscriptions and a session on one pipe stay apart", async () => {
    await using server = new Server();
    await server.initialize("2025-11-25");
    await listen(server, 1, { resourcesListChanged: true });
    await listen(server, "1", { resourcesListChanged: true });
    await startTask(server, "true");
    await server.message(
      "the last change",
      (message) => subscriptionOf(message) === "1" && isListChange(message),
    );
    const tags = server.messages.filter(isListChange).map(subscriptionOf);
    expect(tags.map(String).sort()).toEqual(["1", "1", "undefined"]);
  });

  test("[listen.acknowledged] refuses what is no list of notifications", async () => {
    await using server = new Server();
    const wrong = [undefined, [], { toolsListChanged: "yes" }, { resourceSubscriptions: [5] }];
    for (const notifications of wrong) {
      const { error } = await server.request("subscriptions/listen", modern({ notifications }));
      expect([notifications, error?.code]).toEqual([notifications, -32602]);
    }
  });

  test("[listen.server-ends] at the end of its input each subscription gets its result", async () => {
    await using server = new Server();
    for (const id of [7, "seven"]) await listen(server, id, everything);
    server.endInput();
    expect(await server.ended()).toBe(0);
    for (const id of [7, "seven"]) {
      const [, last, ...others] = server.messages.filter(speaksOf(id));
      expect(last?.result).toMatchObject({
        resultType: "complete",
        _meta: { [metaKeys.subscription]: id },
      });
      expect(others).toEqual([]);
    }
  });

  test.each(["SIGTERM", "SIGINT"] as const)("[listen.server-ends] and at %s", async (signal) => {
    await using server = new Server();
    await listen(server, 7, everything);
    server.signal(signal);
    expect(await server.ended()).toBe(0);
    expect(server.messages.at(-1)).toMatchObject({ id: 7, result: { resultType: "complete" } });
  });

  test("[listen.client-ends] nothing is said of it any more", async () => {
    await using server = new Server();
    await listen(server, 7, everything);
    await listen(server, 8, everything);
    server.notify("notifications/cancelled", { requestId: 7 });
    await startTask(server, "true");
    await server.message(
      "a change for the other",
      (message) => isListChange(message) && subscriptionOf(message) === 8,
    );
    server.endInput();
    await server.ended();
    expect(server.messages.filter(speaksOf(7)).length).toBe(1);
  });
});

describe("over HTTP", () => {
  /** Of clients that see their own tasks only, and of others that look at the changes of their time only. */
  let shared: HttpServer;
  beforeAll(async () => {
    shared = await HttpServer.start();
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  test("[listen.updates] come on the response, until the server goes: then its result is the last", async () => {
    using gate = new Gate();
    await using server = await HttpServer.start();
    const started = await server.modern("tools/call", background(gate.command("before", "after")));
    const uri = startedUri(onlyMessage(started));
    const notifications = { resourcesListChanged: true, resourceSubscriptions: [uri] };
    const open = await server.client.openModern("subscriptions/listen", { notifications }, "h");
    const first = await open.message("an acknowledgement", isAcknowledged("h"));
    expect([open.messages[0], first.params?.["notifications"]]).toEqual([first, notifications]);
    gate.open();
    await open.message("an update", isUpdateOf(uri));
    server.signal("SIGTERM");
    const last = await open.reply("h");
    expect(last.result).toMatchObject({
      resultType: "complete",
      _meta: { [metaKeys.subscription]: "h" },
    });
    await open.ended;
    expect(open.messages.at(-1)).toEqual(last);
    expect(open.messages.map(({ method }) => method)).not.toContain("notifications/cancelled");
    expect(await server.ended()).toBe(0);
  });

  test("[listen.client-ends] a client that closes its response is let go; others go on", async () => {
    const notifications = { resourcesListChanged: true };
    const [left, stays] = [
      await shared.client.openModern("subscriptions/listen", { notifications }, 1),
      await shared.client.openModern("subscriptions/listen", { notifications }, 2),
    ];
    await left.message("an acknowledgement", isAcknowledged(1));
    await left.close();
    await shared.modern("tools/call", background("true"));
    await stays.message("a change of the list", isListChange);
    expect(left.messages.length).toBe(1);
  });

  test("[resources.owner] a principal sees and hears of its own tasks only", async () => {
    const tokens = ["one 1111111111111111", "two 2222222222222222"];
    await using server = await HttpServer.start({ tokens });
    const [one, two] = [server.client, server.client.withToken("2222222222222222")];
    const notifications = { resourcesListChanged: true };
    const foreign = await two.openModern("subscriptions/listen", { notifications }, 1);
    await foreign.message("an acknowledgement", isAcknowledged(1));
    const started = await one.modern("tools/call", background("echo secret; sleep 300"));
    const uri = startedUri(onlyMessage(started));
    expect(urisOf(onlyMessage(await one.modern("resources/list")))).toEqual([uri]);
    expect(urisOf(onlyMessage(await two.modern("resources/list")))).toEqual([]);
    const refused = onlyMessage(await two.modern("resources/read", { uri }));
    expect(refused.error).toMatchObject({ code: -32602, data: { uri } });
    await two.modern("tools/call", background("true"));
    await foreign.message("a change of its own", isListChange);
    expect(foreign.messages.length).toBe(2);
  });

  test.each(["2025-03-26", "2025-11-25"])(
    "[resources.list-changed] a session of %s is told on its stream, also of what was before it",
    async (version) => {
      const session = await shared.initialize(version);
      const other = await shared.initialize(version);
      await session.call("BackgroundBash", { command: "true" });
      const open = await session.listen();
      await open.message("a change of the list", isListChange);
      const started = await session.call("BackgroundBash", { command: "sleep 0.5; echo late" });
      const uri = startedUri(started);
      await session.request("resources/subscribe", { uri });
      await open.message("an update", isUpdateOf(uri));
      expect(urisOf(await other.request("resources/list"))).toEqual([]);
      await open.close();
    },
  );
});
