import { describe, expect, test } from "bun:test";
import type { ClientLimits } from "../../../src/calls/call.ts";
import { PipeLane } from "../../../src/server/connection/active-request.ts";
import { ClientRequests } from "../../../src/server/connection/client-requests.ts";
import { Session } from "../../../src/server/connection/session.ts";
import { FakeLane } from "../fake-request.ts";
import {
  C,
  notification,
  request,
  startServer,
  startSession,
  type TestServer,
  V,
} from "../harness.ts";

const roots = { roots: {} };

/** Starts a call and asks where it would run. */
function askDirectory(server: TestServer): Promise<string> | undefined {
  server.transport.deliver(request(crypto.randomUUID(), "tools/call", { name: "Echo" }));
  return server.tools.calls.at(-1)?.request.client.workspaceDir();
}

function listed(...uris: readonly string[]): unknown {
  return { roots: uris.map((uri) => ({ uri })) };
}

describe("workspaceDir()", () => {
  test.each([
    [listed("file:///home/me/my%20code"), "/home/me/my code"],
    [listed("https://a/b", "file:///second", "file:///third"), "/second"],
    [listed(), "/fallback"],
    [listed("file:///a%00b"), "/fallback"],
    [listed("file://%zz"), "/fallback"],
    [{ roots: [null, { uri: 5 }] }, "/fallback"],
    [{}, "/fallback"],
    [null, "/fallback"],
  ])("for roots %j is %s", async (value, expected) => {
    const server = await startSession("2025-06-18", roots);
    const directory = askDirectory(server);
    expect(await server.exchange(1)).toEqual([request("server-1", "roots/list")]);
    server.transport.deliver({ jsonrpc: "2.0", id: "server-1", result: value });
    expect(await directory).toBe(expected);
  });

  test("asks once, and again when the list has changed", async () => {
    const server = await startSession("2025-06-18", roots);
    const first = askDirectory(server);
    server.transport.deliver({ jsonrpc: "2.0", id: "server-1", result: listed("file:///one") });
    expect([await first, await askDirectory(server)]).toEqual(["/one", "/one"]);
    server.transport.deliver(notification("notifications/roots/list_changed"));
    const second = askDirectory(server);
    server.transport.deliver({ jsonrpc: "2.0", id: "server-2", result: listed("file:///two") });
    expect(await second).toBe("/two");
    expect(server.news().length).toBe(2);
  });

  test.each([
    ["result", { result: listed("file:///old") }],
    ["error", { error: { code: -1, message: "m" } }],
  ])("a late %s for an old question does not undo a newer answer", async (_kind, late) => {
    const server = await startSession("2025-06-18", roots);
    void askDirectory(server);
    server.transport.deliver(notification("notifications/roots/list_changed"));
    const directory = askDirectory(server);
    server.transport.deliver({ jsonrpc: "2.0", id: "server-2", result: listed("file:///new") });
    expect(await directory).toBe("/new");
    server.transport.deliver({ jsonrpc: "2.0", id: "server-1", ...late });
    expect(await askDirectory(server)).toBe("/new");
  });

  test("is the fallback when the client refuses", async () => {
    const server = await startSession("2025-06-18", roots);
    const directory = askDirectory(server);
    server.transport.deliver({ jsonrpc: "2.0", id: "server-1", error: { code: -1, message: "m" } });
    expect(await directory).toBe("/fallback");
  });

  test("is the fallback when the client takes too long, but a late answer counts", async () => {
    const server = await startSession("2025-06-18", roots);
    expect(await askDirectory(server)).toBe("/fallback");
    server.transport.deliver({ jsonrpc: "2.0", id: "server-1", result: listed("file:///late") });
    expect(await askDirectory(server)).toBe("/late");
  });

  test("what is known of it by now is told without asking", async () => {
    const server = await startSession("2025-06-18", roots);
    const directory = askDirectory(server);
    const client = server.tools.calls.at(-1)?.request.client;
    expect(client?.workspaceNow?.()).toBe("/fallback");
    server.transport.deliver({ jsonrpc: "2.0", id: "server-1", result: listed("file:///one") });
    await directory;
    server.transport.deliver(notification("notifications/roots/list_changed"));
    expect([client?.workspaceNow?.(), server.news().length]).toEqual(["/one", 1]);
  });

  test("is known from the client's answer until the list has changed", async () => {
    const server = await startSession("2025-06-18", roots);
    const first = askDirectory(server);
    const client = server.tools.calls.at(-1)?.request.client;
    const known: (string | undefined)[] = [client?.workspaceKnown?.()];
    server.transport.deliver({ jsonrpc: "2.0", id: "server-1", result: listed("file:///one") });
    await first;
    known.push(client?.workspaceKnown?.());
    server.transport.deliver(notification("notifications/roots/list_changed"));
    known.push(client?.workspaceKnown?.());
    const second = askDirectory(server);
    known.push(client?.workspaceKnown?.());
    server.transport.deliver({ jsonrpc: "2.0", id: "server-2", result: listed("file:///two") });
    await second;
    known.push(client?.workspaceKnown?.());
    expect(known).toEqual([undefined, "/one", undefined, undefined, "/two"]);
  });

  test.each([
    ["2025-06-18", "/fallback"],
    ["2025-03-26", "/fallback"],
  ] as const)("is known of a client of %s that offers no roots", async (version, folder) => {
    const server = await startSession(version);
    await askDirectory(server);
    expect(server.tools.calls.at(-1)?.request.client.workspaceKnown?.()).toBe(folder);
  });

  test("asks nothing of a client that offers no roots", async () => {
    const server = await startSession("2025-06-18");
    expect(await askDirectory(server)).toBe("/fallback");
    expect(server.news()).toEqual([]);
  });

  test("asks nothing before notifications/initialized", async () => {
    const server = startServer();
    const params = { protocolVersion: "2025-06-18", capabilities: roots };
    await server.exchange(1, request(0, "initialize", params));
    expect(await askDirectory(server)).toBe("/fallback");
    expect(server.news()).toEqual([]);
  });
});

describe("notifications of the modern era", () => {
  test.each<[Readonly<Record<string, unknown>>]>([
    [{ [V]: "2026-07-28", [C]: {} }],
    [{ [V]: 5 }],
    [{ [C]: null }],
  ])("with the envelope %j do nothing to the session", async (_meta) => {
    const server = startServer();
    const params = { protocolVersion: "2025-06-18", capabilities: roots };
    await server.exchange(1, request(0, "initialize", params));
    server.transport.deliver(notification("notifications/initialized", { _meta }));
    expect([await askDirectory(server), server.news()]).toEqual(["/fallback", []]);
    server.transport.deliver(notification("notifications/initialized"));
    const directory = askDirectory(server);
    server.transport.deliver({ jsonrpc: "2.0", id: "server-1", result: listed("file:///one") });
    expect([await directory, server.news().length]).toEqual(["/one", 1]);
    server.transport.deliver(notification("notifications/roots/list_changed", { _meta }));
    expect([await askDirectory(server), server.news()]).toEqual(["/one", []]);
  });

  test("cancel requests as those of the other era do", async () => {
    const server = await startSession("2025-06-18");
    server.transport.deliver(
      request("c", "tools/call", { name: "Echo" }),
      notification("notifications/cancelled", { requestId: "c", _meta: { [V]: "2026-07-28" } }),
    );
    expect(server.tools.calls[0]?.request.cancellation.isCancelled).toBe(true);
  });
});

describe("legacyAsker()", () => {
  const outbox = new FakeLane();
  const begun = (asked: (string | undefined)[] = []): Session => {
    const limitsFor = (name: string | undefined): ClientLimits => {
      asked.push(name);
      return { answerMs: 1, resultCharsMax: 1 };
    };
    const session = new Session({ id: "c", limitsFor, fallbackDir: "/" }, new ClientRequests());
    session.begin({ protocolVersion: "2025-06-18", clientInfo: { name: "one" } });
    return session;
  };

  test("looks up the limits of the client once, when they are asked for", () => {
    const asked: (string | undefined)[] = [];
    const { client } = begun(asked).legacyAsker(new PipeLane(outbox));
    expect(asked).toEqual([]);
    expect([client.limits.answerMs, client.limits.answerMs]).toEqual([1, 1]);
    expect(asked).toEqual(["one"]);
  });

  test("is the same for all requests of a pipe, until the session changes", () => {
    const session = begun();
    const pipe = new PipeLane(outbox);
    const first = session.legacyAsker(pipe);
    expect(session.legacyAsker(pipe)).toBe(first);
    expect(session.legacyAsker(new PipeLane(outbox))).not.toBe(first);
    session.markInitialized();
    const second = session.legacyAsker(pipe);
    expect(second).not.toBe(first);
    session.begin({ protocolVersion: "2024-11-05" });
    expect(session.legacyAsker(pipe).version).toBe("2024-11-05");
  });

  test("is another for each response", () => {
    const session = begun();
    expect(session.legacyAsker(outbox)).not.toBe(session.legacyAsker(outbox));
  });
});

describe("initialize again", () => {
  test("begins anew: nothing of the session before is left", () => {
    const limitsFor = (name: string | undefined) => ({
      answerMs: name === "one" ? 1 : 2,
      resultCharsMax: 3,
    });
    const profile = { id: "c", limitsFor, fallbackDir: "/fallback" };
    const session = new Session(profile, new ClientRequests());
    const shown = (): unknown => ({
      version: session.version,
      roots: session.capabilities.roots,
      isInitialized: session.isInitialized,
      logLevel: session.logLevel,
      subscribed: [...session.subscribedUris],
      answerMs: session.legacyAsker(new FakeLane()).client.limits.answerMs,
    });
    const clientInfo = { name: "one" };
    session.begin({ protocolVersion: "2025-06-18", capabilities: roots, clientInfo });
    session.markInitialized();
    session.setLogLevel("error");
    session.subscribedUris.add("test://a", () => () => {});
    expect(shown()).toEqual({
      version: "2025-06-18",
      roots: true,
      isInitialized: true,
      logLevel: "error",
      subscribed: ["test://a"],
      answerMs: 1,
    });
    session.begin({ protocolVersion: "2024-11-05" });
    expect(shown()).toEqual({
      version: "2024-11-05",
      roots: false,
      isInitialized: false,
      logLevel: "info",
      subscribed: [],
      answerMs: 2,
    });
  });

  test("asks for the roots again", async () => {
    const server = await startSession("2025-06-18", roots);
    const first = askDirectory(server);
    server.transport.deliver({ jsonrpc: "2.0", id: "server-1", result: listed("file:///one") });
    expect(await first).toBe("/one");
    const params = { protocolVersion: "2025-06-18", capabilities: roots };
    const initialized = notification("notifications/initialized");
    server.transport.deliver(request("again", "initialize", params), initialized);
    const second = askDirectory(server);
    server.transport.deliver({ jsonrpc: "2.0", id: "server-2", result: listed("file:///two") });
    expect(await second).toBe("/two");
  });
});
