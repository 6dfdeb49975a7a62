import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { type Answer, modernMessage, onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { requestOf } from "./harness/http-session.ts";
import { legacyVersions, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";

setDefaultTimeout(testMsMax);

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const ping = (id: unknown): object => requestOf(id, "ping");
const notification = { jsonrpc: "2.0", method: "notifications/x" };
const response = { jsonrpc: "2.0", id: "nobody", result: {} };
const initialize = requestOf("init", "initialize", {
  protocolVersion: "2025-03-26",
  capabilities: {},
  clientInfo: { name: "e2e", version: "1" },
});

/** Id and code, or `{}` for a result: in any order. */
function outcomes({ messages }: Answer): Set<string> {
  return new Set(
    messages.map(({ id, error, result }) => JSON.stringify([id ?? "none", error?.code ?? result])),
  );
}

describe("HP11: batches of 2025-03-26", () => {
  test.each<[string, unknown[], number, unknown[]]>([
    [
      "requests",
      [ping(1), ping("1"), ping(0)],
      200,
      [
        [0, {}],
        [1, {}],
        ["1", {}],
      ],
    ],
    ["one request", [ping(1)], 200, [[1, {}]]],
    ["requests and others", [notification, ping(1), response], 200, [[1, {}]]],
    [
      "an invalid element",
      [ping(1), 7],
      200,
      [
        [1, {}],
        ["none", -32600],
      ],
    ],
    [
      "initialize",
      [ping(1), initialize],
      200,
      [
        [1, {}],
        ["init", -32600],
      ],
    ],
    [
      "a modern request",
      [ping(1), modernMessage("m", "tools/list")],
      200,
      [
        [1, {}],
        ["m", -32600],
      ],
    ],
    [
      "an id twice",
      [ping(1), ping(1)],
      200,
      [
        [1, {}],
        ["none", -32600],
      ],
    ],
    ["nothing", [], 400, [["none", -32600]]],
    ["notifications and responses alone", [notification, response], 202, []],
  ])("[http.batch] %s, in a session and without one", async (_, batch, status, expected) => {
    const session = await server.initialize("2025-03-26");
    const inSession = session.headers;
    for (const headers of [inSession, { "mcp-protocol-version": "2025-03-26" }, {}]) {
      const isInSession = headers === inSession;
      const needsSession = status === 202 && !isInSession;
      const answer = await (isInSession ? session.post(batch) : server.client.post(batch, headers));
      expect(answer.status).toBe(needsSession ? 400 : status);
      if (needsSession) continue;
      expect(answer.messages).toHaveLength(expected.length);
      expect(outcomes(answer)).toEqual(new Set(expected.map((row) => JSON.stringify(row))));
      expect(answer.headers.has("mcp-session-id")).toBe(false);
    }
  });

  test("[http.batch] calls run side by side and are answered together", async () => {
    const session = await server.initialize("2025-03-26");
    const call = (id: number, command: string): object =>
      requestOf(id, "tools/call", { name: "ListBgTasks", arguments: { command } });
    const bash = (id: number, command: string): object =>
      requestOf(id, "tools/call", { name: "Bash", arguments: { command } });
    const answer = await session.post([
      bash(1, "sleep 0.5; echo slow"),
      bash(2, "echo quick"),
      call(3, "x"),
    ]);
    expect(new Set(answer.messages.map(({ id }) => id))).toEqual(new Set([1, 2, 3]));
    const reply = (id: number) =>
      answer.messages.find((message) => message.id === id) ?? { jsonrpc: "" };
    expect(textOf(reply(1))).toStartWith("slow\n");
    expect(textOf(reply(2))).toStartWith("quick\n");
    expect(reply(3).error?.code).toBe(-32602);
  });

  test("[http.batch] progress of its calls comes before it, on its stream", async () => {
    const session = await server.initialize("2025-03-26");
    const _meta = { progressToken: "token" };
    const params = { name: "Bash", arguments: { command: "echo one; sleep 1.5; echo two" }, _meta };
    const answer = await session.post([requestOf(1, "tools/call", params), ping(2)]);
    expect(answer.headers.get("content-type")).toStartWith("text/event-stream");
    const methods = answer.messages.map(({ method }) => method);
    expect(methods[0]).toBe("notifications/progress");
    expect(methods.slice(-2)).toEqual([undefined, undefined]);
  });
});

describe("HP11, KF3: batches of other versions", () => {
  test.each(legacyVersions.filter((version) => version !== "2025-03-26"))(
    "[http.batch] a session of %s refuses them whole",
    async (version) => {
      const session = await server.initialize(version);
      const answer = await session.post([ping(1), ping(2)]);
      expect(answer.status).toBe(400);
      expect(onlyMessage(answer)).toMatchObject({ error: { code: -32600 } });
      expect(onlyMessage(answer)).not.toHaveProperty("id");
    },
  );

  test.each(["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"])(
    "[http.batch] the header %s refuses them whole",
    async (version) => {
      const answer = await server.client.post([ping(1)], { "mcp-protocol-version": version });
      expect([answer.status, onlyMessage(answer).error?.code]).toEqual([400, -32600]);
      expect(onlyMessage(answer)).not.toHaveProperty("id");
    },
  );
});
