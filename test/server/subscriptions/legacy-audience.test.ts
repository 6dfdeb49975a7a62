import { describe, expect, test } from "bun:test";
import { Changes, type ServerFeatures } from "../../../src/calls/features.ts";
import { everyFeature, watched } from "../fake-features.ts";
import { modern, notification, request, startServer, type TestServer } from "../harness.ts";

interface Session extends TestServer {
  readonly changes: WatchedChanges;
}

/** Counts who listens. */
class WatchedChanges extends Changes {
  count = 0;

  override listen(listener: Parameters<Changes["listen"]>[0]): () => void {
    const stop = super.listen(listener);
    this.count += 1;
    return () => {
      this.count -= 1;
      stop();
    };
  }
}

function start(offered: Partial<ServerFeatures> = everyFeature()): Session {
  const changes = new WatchedChanges();
  return { changes, ...startServer(1000, { ...offered, changes }) };
}

const initialize = request(0, "initialize", { protocolVersion: "2025-11-25" });
const initialized = notification("notifications/initialized");
const kinds = ["tools", "prompts", "resources"] as const;

function emitAll({ changes }: Session): void {
  for (const kind of kinds) changes.emit({ kind });
  changes.emit({ kind: "resource", uri: watched });
}

const listChanged = kinds.map((kind) => notification(`notifications/${kind}/list_changed`));
const updated = notification("notifications/resources/updated", { uri: watched });

describe("legacy sessions are told of changes", () => {
  test("lists unasked, resources that were subscribed to", async () => {
    const session = start();
    await session.exchange(1, initialize, initialized);
    emitAll(session);
    expect(session.news()).toEqual(listChanged);
    await session.exchange(1, request(1, "resources/subscribe", { uri: watched }));
    emitAll(session);
    expect(session.news()).toEqual([...listChanged, updated]);
    await session.exchange(1, request(2, "resources/unsubscribe", { uri: watched }));
    emitAll(session);
    expect(session.news()).toEqual(listChanged);
  });

  test.each([
    ["before initialize", []],
    ["before notifications/initialized", [initialize]],
    ["after notifications/initialized without a session", [initialized]],
  ])("not %s", async (_when, messages) => {
    const session = start();
    await session.exchange(messages.filter((message) => "id" in message).length, ...messages);
    emitAll(session);
    expect([session.news(), session.changes.count]).toEqual([[], 0]);
  });

  test("a session that begins anew is told nothing until it is ready, and of no old subscription", async () => {
    const session = start();
    const subscribe = request(1, "resources/subscribe", { uri: watched });
    await session.exchange(2, initialize, initialized, subscribe);
    await session.exchange(1, initialize);
    emitAll(session);
    expect(session.news()).toEqual([]);
    session.transport.deliver(initialized);
    emitAll(session);
    expect([session.news(), session.changes.count]).toEqual([listChanged, 1]);
  });

  test("what waited for a slow reader does not reach the session after it", async () => {
    const session = start();
    await session.exchange(1, initialize, initialized);
    session.transport.isCongested = true;
    emitAll(session);
    await session.exchange(1, initialize, initialized);
    session.changes.emit({ kind: "prompts" });
    session.transport.isCongested = false;
    expect(await session.exchange(1)).toEqual([notification("notifications/prompts/list_changed")]);
    expect(session.news()).toEqual([]);
  });

  test("only of what was declared", async () => {
    const session = start({ ...everyFeature(), changing: new Set(["prompts"]) });
    await session.exchange(1, initialize, initialized);
    emitAll(session);
    expect(session.news()).toEqual([notification("notifications/prompts/list_changed")]);
  });

  test("only of what its client can see", async () => {
    const session = start();
    const subscribe = request(1, "resources/subscribe", { uri: watched });
    await session.exchange(2, initialize, initialized, subscribe);
    for (const clientId of ["other", "stdio"]) {
      session.changes.emit({ kind: "resources", clientId });
      session.changes.emit({ kind: "resource", uri: watched, clientId });
    }
    expect(session.news()).toEqual([notification("notifications/resources/list_changed"), updated]);
  });

  test("nobody listens where nothing changes", async () => {
    const session = start({});
    await session.exchange(1, initialize, initialized);
    expect(session.changes.count).toBe(0);
  });

  test("modern requests do not make a session that is told", async () => {
    const session = start();
    await session.exchange(1, modern(1, "tools/list"), initialized);
    emitAll(session);
    expect(session.news()).toEqual([]);
  });

  test("ends with the connection", async () => {
    const session = start();
    await session.exchange(1, initialize, initialized);
    expect(session.changes.count).toBe(1);
    session.connection.shutdown();
    await session.connection.ended;
    emitAll(session);
    expect([session.news(), session.changes.count]).toEqual([[], 0]);
  });
});
