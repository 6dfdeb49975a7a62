import { describe, expect, test } from "bun:test";
import { subscriptionsMax } from "../../../src/base/limits.ts";
import { Changes, type ServerFeatures } from "../../../src/calls/features.ts";
import { ownMeta } from "../../protocol/own-meta.ts";
import { everyFeature, watched } from "../fake-features.ts";
import { error, modern, notification, request, result, startServer } from "../harness.ts";

const SUB = "io.modelcontextprotocol/subscriptionId";
type Id = string | number;

function listen(id: Id, notifications: unknown): Record<string, unknown> {
  return modern(id, "subscriptions/listen", { notifications });
}

function tagged(id: Id, method: string, params: object = {}): Record<string, unknown> {
  return notification(method, { _meta: { [SUB]: id }, ...params });
}

function acknowledged(id: Id, notifications: object): Record<string, unknown> {
  return tagged(id, "notifications/subscriptions/acknowledged", { notifications });
}

const toolsChanged = (id: Id): unknown => tagged(id, "notifications/tools/list_changed");
const closed = (id: Id): unknown =>
  result(id, { resultType: "complete", _meta: { [SUB]: id, ...ownMeta } });

function start(offered: Partial<ServerFeatures> = everyFeature()) {
  const changes = new Changes();
  return { changes, ...startServer(1000, { ...offered, changes }) };
}

const everything = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: [watched],
};

describe("subscriptions/listen, acknowledgement", () => {
  test.each<[Partial<ServerFeatures>, unknown, object]>([
    [everyFeature(), everything, everything],
    [everyFeature(), {}, {}],
    [everyFeature(), { toolsListChanged: false }, {}],
    [
      { ...everyFeature(), changing: new Set(["prompts"]) },
      everything,
      { promptsListChanged: true, resourceSubscriptions: [watched] },
    ],
    [
      everyFeature(),
      { resourceSubscriptions: ["test://a", watched, "no", `${watched}/../x`] },
      { resourceSubscriptions: [watched] },
    ],
    [{ changing: new Set(["tools"]) }, everything, { toolsListChanged: true }],
  ])("HP9: is the honoured subset (%#)", async (offered, asked, honoured) => {
    const { exchange } = start(offered);
    expect(await exchange(1, listen(1, asked))).toEqual([acknowledged(1, honoured)]);
  });

  test.each([[undefined], [null], [{ toolsListChanged: 1 }], [{ resourceSubscriptions: [1] }]])(
    "%j is -32602",
    async (notifications) => {
      const { exchange } = start();
      const [reply] = await exchange(1, listen(1, notifications));
      expect(reply).toMatchObject({ id: 1, error: { code: -32602 } });
    },
  );

  test("taskIds are ignored by a server without tasks", async () => {
    const { exchange } = start();
    expect(await exchange(1, listen(1, { taskIds: ["x"] }))).toEqual([acknowledged(1, {})]);
  });

  test("taskIds need the tasks extension where there is one", async () => {
    const server = start();
    server.tools.taskSupports.set("Echo", "optional");
    const [reply] = await server.exchange(1, listen(1, { taskIds: [] }));
    const requiredCapabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    expect(reply).toMatchObject({ error: { code: -32021, data: { requiredCapabilities } } });
  });
});

describe("subscriptions/listen, notifications", () => {
  test.each<[Id]>([[0], [1], [""], ["1"]])("HP9: carry the id %p with its type", async (id) => {
    const { exchange, changes, news } = start();
    await exchange(1, listen(id, everything));
    for (const kind of ["tools", "prompts", "resources"] as const) changes.emit({ kind });
    changes.emit({ kind: "resource", uri: watched });
    expect(news()).toEqual([
      tagged(id, "notifications/tools/list_changed"),
      tagged(id, "notifications/prompts/list_changed"),
      tagged(id, "notifications/resources/list_changed"),
      tagged(id, "notifications/resources/updated", { uri: watched }),
    ]);
  });

  test("HP9: only what was asked for, and only what the client may see", async () => {
    const { exchange, changes, news } = start();
    await exchange(1, listen(1, { toolsListChanged: true, resourceSubscriptions: [watched] }));
    changes.emit({ kind: "prompts" });
    changes.emit({ kind: "resources" });
    changes.emit({ kind: "resource", uri: `${watched}/other` });
    changes.emit({ kind: "resource", uri: watched, clientId: "somebody else" });
    expect(news()).toEqual([]);
    changes.emit({ kind: "resource", uri: watched, clientId: "stdio" });
    expect(news()).toEqual([tagged(1, "notifications/resources/updated", { uri: watched })]);
  });

  test("HP9: two subscriptions on a pipe stay apart", async () => {
    const { exchange, changes, news } = start();
    await exchange(
      2,
      listen(1, { toolsListChanged: true }),
      listen("1", { toolsListChanged: true, promptsListChanged: true }),
    );
    changes.emit({ kind: "tools" });
    changes.emit({ kind: "prompts" });
    expect(news()).toEqual([
      toolsChanged(1),
      toolsChanged("1"),
      tagged("1", "notifications/prompts/list_changed"),
    ]);
  });

  test("a slow reader gets one of each kind when it reads again", async () => {
    const { exchange, changes, transport, news } = start();
    await exchange(1, listen(1, everything));
    transport.isCongested = true;
    for (let count = 0; count < 100; count += 1) {
      changes.emit({ kind: "tools" });
      changes.emit({ kind: "resource", uri: watched });
    }
    expect(news()).toEqual([]);
    transport.isCongested = false;
    expect(await exchange(2)).toEqual([
      toolsChanged(1),
      tagged(1, "notifications/resources/updated", { uri: watched }),
    ]);
  });

  test("no progress for its token", async () => {
    const { exchange, news } = start();
    const message = listen(1, {});
    const { _meta } = message["params"] as { _meta: object };
    const params = { notifications: {}, _meta: { ..._meta, progressToken: "t" } };
    expect(await exchange(1, { ...message, params })).toEqual([acknowledged(1, {})]);
    expect(news()).toEqual([]);
  });
});

describe("subscriptions/listen, teardown", () => {
  test("HP9: when the server goes each one gets its result, and nothing after it", async () => {
    const { exchange, changes, connection, news } = start();
    await exchange(2, listen(1, everything), listen("b", everything));
    connection.shutdown();
    await connection.ended;
    changes.emit({ kind: "tools" });
    expect(news()).toEqual([closed(1), closed("b")]);
  });

  test("HP9: when the client ends it nothing more is said, and its id is free", async () => {
    const { exchange, changes, news } = start();
    await exchange(1, listen(1, everything));
    const cancel = notification("notifications/cancelled", { requestId: 1 });
    expect(await exchange(1, cancel, request(2, "ping"))).toEqual([result(2, {})]);
    changes.emit({ kind: "tools" });
    expect(news()).toEqual([]);
    expect(await exchange(1, listen(1, {}))).toEqual([acknowledged(1, {})]);
  });

  test("HP9: what waited for a slow client is not said after its end", async () => {
    const { exchange, changes, transport } = start();
    await exchange(1, listen(1, everything));
    transport.isCongested = true;
    changes.emit({ kind: "tools" });
    transport.deliver(notification("notifications/cancelled", { requestId: 1 }));
    transport.isCongested = false;
    // Another one that waited would be sent with it.
    await exchange(1, listen(2, everything));
    transport.isCongested = true;
    changes.emit({ kind: "prompts" });
    transport.isCongested = false;
    expect(await exchange(1)).toEqual([tagged(2, "notifications/prompts/list_changed")]);
  });

  test("HP9: of too many the oldest is dropped, by one notification on a pipe", async () => {
    const { exchange, changes } = start();
    const asked = { toolsListChanged: true };
    const all = Array.from({ length: subscriptionsMax }, (_, id) => listen(id, asked));
    await exchange(subscriptionsMax, ...all);
    const [dropped, accepted] = await exchange(2, listen("more", asked));
    expect(dropped).toEqual(
      tagged(0, "notifications/cancelled", {
        requestId: 0,
        reason: `${subscriptionsMax} subscriptions are open on this connection`,
      }),
    );
    expect(accepted).toEqual(acknowledged("more", asked));
    changes.emit({ kind: "tools" });
    const told = await exchange(subscriptionsMax);
    expect(told).not.toContainEqual(toolsChanged(0));
    // The id is free again: neither a result nor an error came for it.
    expect(await exchange(2, listen(0, {}))).toContainEqual(acknowledged(0, {}));
  });

  test("HP9: of too many in one chunk each is dropped once, and one that its client ended never", async () => {
    const { transport, exchange } = start();
    const all = Array.from({ length: subscriptionsMax + 3 }, (_, id) => listen(id, {}));
    const cancelled = notification("notifications/cancelled", { requestId: 0 });
    transport.deliver(listen("first", {}), cancelled, ...all);
    const sent = await exchange(1 + all.length + 4);
    const dropped = (sent as { method: string; params: { requestId: unknown } }[])
      .filter(({ method }) => method === "notifications/cancelled")
      .map(({ params }) => params.requestId);
    expect(dropped).toEqual(["first", 0, 1, 2]);
  });

  test("an id in flight is not listened to twice", async () => {
    const { exchange } = start();
    await exchange(1, listen(1, {}));
    expect(await exchange(1, request(1, "ping"))).toEqual([
      error(undefined, -32600, "Invalid request: id 1 is in flight"),
    ]);
  });
});
