import { describe, expect, test } from "bun:test";

import { Changes, type ReachableClient } from "../../../src/calls/features.ts";
import { LiveConnections } from "../../../src/server/connection/live-connections.ts";
import { ServerContext } from "../../../src/server/context/server-context.ts";
import { serveConnection } from "../../../src/server/serve-connection.ts";
import { FakeTools, notification, request } from "../harness.ts";
import { MemoryTransport } from "../transport/memory-transport.ts";

const channelMethod = "notifications/claude/channel";

/** A server of one client on a pipe, and who can be reached there. */
function start() {
  const connections = new LiveConnections();
  const transport = new MemoryTransport();
  const server = new ServerContext({
    features: { tools: new FakeTools(), changes: new Changes(), changing: new Set() },
    instructions: "",
    stateKey: () => Promise.resolve(new Uint8Array(32)),
    connections,
  });
  const client = {
    id: "c",
    limitsFor: () => ({ answerMs: 0, resultCharsMax: 1 }),
    fallbackDir: "/",
  };
  const served = serveConnection({ transport, server, client, drainMs: 0 });
  const reached = (): readonly ReachableClient[] => connections.connectionsOf("c");
  const sent = (): unknown[] => transport.sent.splice(0).map((text) => JSON.parse(text) as unknown);
  const open = (params: Readonly<Record<string, unknown>>): void => {
    const rest = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x" } };
    transport.deliver(request(1, "initialize", { ...rest, ...params }));
  };
  const ready = (): void => transport.deliver(notification("notifications/initialized"));
  return { transport, served, connections, reached, sent, open, ready };
}

describe("LiveConnections", () => {
  test("has a session from its handshake to its end", async () => {
    const { transport, served, connections, reached, open, ready } = start();
    ready();
    expect(reached()).toEqual([]);
    open({});
    expect(reached()).toEqual([]);
    ready();
    ready();
    expect(reached().length).toBe(1);
    expect(connections.connectionsOf("other")).toEqual([]);
    open({});
    expect(reached()).toEqual([]);
    ready();
    expect(reached().length).toBe(1);
    transport.close();
    await served.ended;
    expect(reached()).toEqual([]);
  });

  test.each([
    [{}, "x", false],
    [{ experimental: { "claude/channel": {} } }, "x", true],
    [{ experimental: { "claude/channel": true } }, "x", false],
    [{ experimental: { other: {} } }, "x", false],
    [{ experimental: 5 }, "x", false],
    [{}, "claude-code", true],
    [{}, "claude-code-of-others", false],
  ])("capabilities %j of %s: channel messages %p", (capabilities, name, takes) => {
    const { reached, sent, open, ready } = start();
    open({ capabilities, clientInfo: { name } });
    const [reply] = sent();
    const experimental = { experimental: { "claude/channel": {} } };
    if (takes) expect(reply).toMatchObject({ result: { capabilities: experimental } });
    else expect(JSON.stringify(reply)).not.toContain("experimental");
    ready();
    expect(reached().map((client) => client.pushToChannel("text", { a: "1" }))).toEqual([takes]);
    const params = { content: "text", meta: { a: "1" } };
    expect(sent()).toEqual(takes ? [notification(channelMethod, params)] : []);
  });

  test.each([
    ["debug", true],
    ["info", true],
    ["notice", false],
    [undefined, true],
  ])("logs to a client that wants %s: %p", (level, isSent) => {
    const { transport, reached, sent, open, ready } = start();
    open({});
    ready();
    if (level !== undefined) transport.deliver(request(2, "logging/setLevel", { level }));
    sent();
    expect(reached().map((client) => client.logInfo("callbacks", { a: 1 }))).toEqual([isSent]);
    const params = { level: "info", logger: "callbacks", data: { a: 1 } };
    expect(sent()).toEqual(isSent ? [notification("notifications/message", params)] : []);
  });

  test("asks for samples where they were declared; the end of the connection ends the wait", async () => {
    const { transport, served, reached, sent, open, ready } = start();
    open({});
    ready();
    expect(reached().map(({ canSample }) => canSample)).toEqual([false]);
    open({ capabilities: { sampling: {} } });
    ready();
    sent();
    const [client] = reached();
    expect(client?.canSample).toBe(true);
    const answer = client?.sample({ maxTokens: 1 });
    const asked = request("server-1", "sampling/createMessage", { maxTokens: 1 });
    expect(sent()).toEqual([asked]);
    transport.deliver({ jsonrpc: "2.0", id: "server-1", result: { role: "assistant" } });
    expect(await answer).toEqual({ role: "assistant" });
    const pending = client?.sample({}).catch((error: unknown) => error);
    transport.close();
    await served.ended;
    expect(await pending).toMatchObject({ code: "cancelled" });
  });

  test("sends nothing to a client that does not read", () => {
    const { transport, reached, sent, open, ready } = start();
    open({ capabilities: { sampling: {}, experimental: { "claude/channel": {} } } });
    ready();
    sent();
    transport.isCongested = true;
    const told = reached().map((client) => [
      client.pushToChannel("text", {}),
      client.logInfo("callbacks", {}),
      client.canSample,
    ]);
    expect([told, sent()]).toEqual([[[false, false, false]], []]);
  });
});
