import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { legacyVersions, metaKeys } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import type { ServerMessage } from "./harness/server.ts";
import { taskIdOf } from "./harness/told.ts";

setDefaultTimeout(testMsMax);

/** Every background task is a resource: beginning one changes the list. */
const start = { name: "BackgroundBash", arguments: { command: "true" } };
const listChanged = "notifications/resources/list_changed";
const acknowledged = "notifications/subscriptions/acknowledged";

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const has =
  (method: string) =>
  (message: ServerMessage): boolean =>
    message.method === method;

describe("legacy sessions", () => {
  test.each(legacyVersions.slice(1))(
    "[http.get-stream] changes come on the stream of the session, in %s",
    async (version) => {
      const [session, other] = [await server.initialize(version), await server.initialize(version)];
      const [own, foreign] = [await session.listen(), await other.listen()];
      const open = await session.open("tools/call", start, 1);
      const message = await own.message("a change", has(listChanged));
      expect(message).toEqual({ jsonrpc: "2.0", method: listChanged });
      await open.ended;
      // What belongs to the call is on its own stream, and the change on the session's alone.
      expect(open.messages.map(({ id }) => id)).toEqual([1]);
      await own.close();
      await foreign.close();
      expect(own.messages.every(({ id }) => id === undefined)).toBe(true);
      expect(foreign.messages).toEqual([]);
    },
  );

  test("[http.get-stream] a resource is watched in one session alone", async () => {
    const [session, other] = [await server.initialize(), await server.initialize()];
    const task = taskIdOf(await session.call("BackgroundBash", { command: "sleep 600" }));
    const uri = `scorpiox://background/${task}`;
    expect((await session.request("resources/subscribe", { uri })).result).toEqual({});
    const [own, foreign] = [await session.listen(), await other.listen()];
    await session.call("KillBgTask", { task_id: task });
    const updated = await own.message("an update", has("notifications/resources/updated"));
    expect(updated.params).toEqual({ uri });
    await foreign.close();
    // Of a fleet it may still hear that the list has changed.
    expect(foreign.messages.filter(has("notifications/resources/updated"))).toEqual([]);
  });
});

describe("HP9: modern subscriptions", () => {
  test.each([7, 0, "", "7"])("[http.listen-stream] the id %p is in all that comes", async (id) => {
    const notifications = { resourcesListChanged: true, sunsetListChanged: true };
    const listening = await server.client.openModern("subscriptions/listen", { notifications }, id);
    await listening.message("the acknowledgement", has(acknowledged));
    await server.modern("tools/call", start);
    await listening.message("a change", has(listChanged));
    await listening.close();
    const [first, ...others] = listening.messages;
    // What there is not cannot be honoured.
    expect(first).toEqual({
      jsonrpc: "2.0",
      method: acknowledged,
      params: {
        notifications: { resourcesListChanged: true },
        _meta: { [metaKeys.subscription]: id },
      },
    });
    expect(others.length).toBeGreaterThan(0);
    for (const { method, params } of others) {
      expect(method).toBe(listChanged);
      expect(params?.["_meta"]).toEqual({ [metaKeys.subscription]: id });
    }
  });

  test("[http.listen-stream] two at once stay apart, and what was not asked for does not come", async () => {
    const wishes = [{ resourcesListChanged: true }, {}];
    const [wanting, silent] = await Promise.all(
      wishes.map((notifications, index) =>
        server.client.openModern("subscriptions/listen", { notifications }, `s${index}`),
      ),
    );
    if (wanting === undefined || silent === undefined) throw new Error("not both are open");
    await Promise.all([wanting, silent].map((each) => each.message("it", has(acknowledged))));
    await server.modern("tools/call", start);
    await wanting.message("a change", has(listChanged));
    await Promise.all([wanting.close(), silent.close()]);
    expect(silent.messages.map(({ method }) => method)).toEqual([acknowledged]);
    const tags = wanting.messages.map(({ params }) => params?.["_meta"]);
    expect(tags).toEqual(tags.map(() => ({ [metaKeys.subscription]: "s0" })));
  });

  test("[http.listen-stream] wishes of a wrong type are -32602", async () => {
    const answer = await server.modern("subscriptions/listen", { notifications: "all" });
    expect([answer.status, onlyMessage(answer).error?.code]).toEqual([200, -32602]);
    const bare = await server.modern("subscriptions/listen");
    expect(onlyMessage(bare).error?.code).toBe(-32602);
  });
});
