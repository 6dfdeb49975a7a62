import { describe, expect, test } from "bun:test";

import { ConnectionError, type ServerAuth } from "../../../src/upstream/connect/connection.ts";
import type { HttpScript, UpstreamScript } from "../../fixtures/upstream/script.ts";
import { spawnHttpUpstream } from "../../fixtures/upstream/spawn.ts";
import { ownValue } from "../../../src/base/values.ts";
import { openScripted, toolCall, until } from "./open-scripted.ts";

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConnectionError)) return error;
  const { failure, retryAfterMs } = error;
  return retryAfterMs === undefined ? failure : { failure, retryAfterMs };
}

/** What `openConnection` says of a server that answers so. */
async function refusalOf(http: HttpScript, options = {}): Promise<unknown> {
  return errorOf(openScripted("http", { http }, { options }));
}

describe("HTTP statuses, when it is met", () => {
  test.each<[number, string | undefined, unknown]>([
    [400, undefined, "refused"],
    [401, undefined, "needs_auth"],
    [403, undefined, "refused"],
    [404, undefined, "refused"],
    [405, undefined, "refused"],
    [410, undefined, "refused"],
    [429, undefined, "busy"],
    [429, "2", { failure: "busy", retryAfterMs: 2_000 }],
    [429, "0", { failure: "busy", retryAfterMs: 0 }],
    [503, "86400", { failure: "busy", retryAfterMs: 60_000 }],
    [503, "soon", "busy"],
    [500, undefined, "unreachable"],
    [502, undefined, "unreachable"],
  ])("%i, Retry-After %p", async (code, retryAfter, expected) => {
    const status = retryAfter === undefined ? { code } : { code, retryAfter };
    expect(await refusalOf({ status })).toEqual(expected);
  });

  test("a server that fails may be an older one: what to do about it is said", async () => {
    const http = { status: { code: 500 } };
    const messageOf = async (era: "auto" | "modern"): Promise<string> =>
      openScripted("http", { http }, { options: { era } }).then(String, String);
    expect(await messageOf("auto")).toContain('put `era = "legacy"` into its entry');
    expect(await messageOf("modern")).not.toContain("legacy");
  });

  test("a port where nobody listens", async () => {
    const url = "http://127.0.0.1:1/mcp";
    expect(await errorOf(openScripted("http", {}, { url }))).toBe("unreachable");
  });

  test.each(["file:///etc/passwd", "javascript:alert(1)", "ftp://example.com/x", "nonsense"])(
    "only http and https [GW-40]: %s",
    async (url) => {
      expect(await errorOf(openScripted("http", {}, { url }))).toBe("refused");
    },
  );
});

describe("credentials [GW-40]", () => {
  const headers = { authorization: "Bearer configured", "x-team": "blue" };

  test("headers of the entry are sent with every request, and those of the library beside them", async () => {
    await using upstream = await spawnHttpUpstream({
      http: { authorization: "Bearer configured" },
    });
    const endpoint = { transport: "http", url: upstream.url, headers } as const;
    await using opened = await openScripted("http", {}, { options: { endpoint } });
    const reply = await opened.connection.request(toolCall("headers"));
    expect(reply).toMatchObject({
      result: {
        structuredContent: {
          authorization: "Bearer configured",
          "x-team": "blue",
          "mcp-method": "tools/call",
          "mcp-name": "headers",
          "mcp-protocol-version": "2026-07-28",
        },
      },
    });
  });

  test("a redirect to another origin is not followed", async () => {
    await using thief = await spawnHttpUpstream({ http: { authorization: "nobody" } });
    await using upstream = await spawnHttpUpstream({ http: { redirect: thief.url } });
    const endpoint = { transport: "http", url: upstream.url, headers } as const;
    const error: unknown = await openScripted("http", {}, { options: { endpoint } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      failure: "refused",
      message: expect.stringContaining("not followed"),
    });
  });

  test.each<[string, readonly (string | undefined)[], boolean, unknown, string[]]>([
    ["the token that is there", ["good"], false, "met", []],
    ["one that is renewed", ["old", "good"], true, "met", ["old"]],
    ["none, and a login", [undefined, "good"], true, "met", ["none"]],
    ["one that cannot be renewed", ["old"], false, "needs_auth", ["old"]],
    ["one that is no better", ["old", "older"], true, "needs_auth", ["old"]],
  ])("%s", async (_, tokens, canRenew, expected, refused) => {
    const seen: string[] = [];
    let current = 0;
    const auth: ServerAuth = {
      token: () => Promise.resolve(tokens[current]),
      refused: (response, used) => {
        seen.push(used ?? "none");
        expect(response.status).toBe(401);
        current = Math.min(current + 1, tokens.length - 1);
        return Promise.resolve(canRenew);
      },
    };
    await using upstream = await spawnHttpUpstream({ http: { authorization: "Bearer good" } });
    const endpoint = { transport: "http", url: upstream.url, headers: {}, auth } as const;
    const met = await openScripted("http", {}, { options: { endpoint } }).then(
      async (opened) => {
        await opened[Symbol.asyncDispose]();
        return "met";
      },
      (error: ConnectionError) => error.failure,
    );
    expect({ met, seen }).toEqual({ met: expected, seen: refused } as never);
  });
});

describe("403 with a login", () => {
  test.each<[string, string | undefined, string, number]>([
    ["a refusal that no login mends", undefined, "refused", 0],
    ["rights that are missing", 'Bearer error="insufficient_scope", scope="a b"', "needs_auth", 1],
  ])("%s", async (_, challenge, failure, asked) => {
    let count = 0;
    const auth: ServerAuth = {
      token: () => Promise.resolve("token"),
      refused: () => {
        count += 1;
        return Promise.resolve(false);
      },
    };
    const status = { code: 403, ...(challenge === undefined ? {} : { challenge }) };
    await using upstream = await spawnHttpUpstream({ http: { status } });
    const endpoint = { transport: "http", url: upstream.url, headers: {}, auth } as const;
    const options = { endpoint, era: "modern" } as const;
    expect(await errorOf(openScripted("http", {}, { options }))).toBe(failure);
    expect(count).toBe(asked);
  });
});

describe("calls over HTTP", () => {
  test("a stream that breaks is taken up again by its last event", async () => {
    const script: UpstreamScript = { era: "legacy", http: { reply: "sse", cutStreams: true } };
    await using opened = await openScripted("http", script);
    const reply = await opened.connection.request(toolCall("sleep", { ms: 100 }));
    expect(reply).toEqual({
      kind: "result",
      result: { content: [{ type: "text", text: "slept" }] },
    });
  });

  test("a session that the server forgot ends the connection", async () => {
    await using opened = await openScripted("http", { era: "legacy" });
    await opened.http?.forgetSessions();
    expect(await errorOf(opened.connection.request(toolCall("echo")))).toBe("lost");
    await until(() => opened.told.closed.length > 0);
    expect(opened.told.closed).toEqual([expect.stringContaining("forgotten the session")]);
    expect(await errorOf(opened.connection.request(toolCall("echo")))).toBe("lost");
  });

  test("a server that is busy for a while says so, and goes on", async () => {
    await using opened = await openScripted("http", { era: "legacy" });
    await opened.http?.rewrite({ http: { status: { code: 429, retryAfter: "1", times: 1 } } });
    const call = opened.connection.request(toolCall("echo"));
    expect(await errorOf(call)).toEqual({ failure: "busy", retryAfterMs: 1_000 });
    expect((await opened.connection.request(toolCall("echo"))).kind).toBe("result");
  });

  test.each(["json", "sse"] as const)(
    "%s: a message too long fails its call only",
    async (reply) => {
      await using opened = await openScripted("http", { http: { reply } });
      const big = opened.connection.request(toolCall("big", { chars: 17_000_000 }));
      expect(await errorOf(big)).toBe("too_large");
      expect((await opened.connection.request(toolCall("echo"))).kind).toBe("result");
      expect(opened.told.closed).toEqual([]);
    },
  );

  test("in the form of 2024-11-05 it ends the one stream that there is", async () => {
    await using opened = await openScripted("http", { era: "legacy", http: { form: "sse" } });
    const big = opened.connection.request(toolCall("big", { chars: 17_000_000 }));
    expect(await errorOf(big)).toBe("too_large");
    expect(opened.told.closed).toEqual([expect.stringContaining("16777216 bytes")]);
  });

  test.each(["2026-07-28", "legacy"])("%s: the end of the server fails what waits", async (era) => {
    await using opened = await openScripted("http", {
      era: era === "legacy" ? "legacy" : "modern",
      http: { reply: "sse" },
    });
    const waiting = opened.connection.request(toolCall("hang"));
    const leaving = errorOf(opened.connection.request(toolCall("exit")));
    expect(["lost", "unreachable"]).toContain((await leaving) as string);
    expect(["lost", "unreachable"]).toContain((await errorOf(waiting)) as string);
  });

  test("an error of the server is one, whatever status it comes with", async () => {
    await using opened = await openScripted("http", {});
    const reply = await opened.connection.request(toolCall("fail", { text: "no", code: -32602 }));
    expect(reply).toEqual({
      kind: "fault",
      fault: { code: -32602, message: "no", data: { from: "fail" } },
    });
  });

  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  test.each<[meta: Record<string, unknown>, headers: Record<string, string | undefined>]>([
    [
      { traceparent, tracestate: "a=1" },
      { traceparent, tracestate: "a=1" },
    ],
    [
      { traceparent, tracestate: "a\n" },
      { traceparent, tracestate: undefined },
    ],
    [
      { traceparent: "00-1", tracestate: "a=1" },
      { traceparent: undefined, tracestate: undefined },
    ],
  ])("the trace in `_meta` is that of the HTTP request: %j", async (_meta, headers) => {
    await using opened = await openScripted("http", {});
    const call = toolCall("headers");
    const reply = await opened.connection.request({ ...call, params: { ...call.params, _meta } });
    const { structuredContent: sent } = ownValue<{
      readonly result: { readonly structuredContent: Readonly<Record<string, string>> };
    }>(reply).result;
    const { traceparent: parent, tracestate: state } = sent;
    expect({ traceparent: parent, tracestate: state }).toEqual(
      headers as { traceparent: string; tracestate: string },
    );
  });

  test("unknown members of results and of `_meta` pass in both directions", async () => {
    await using opened = await openScripted("http", {});
    const call = toolCall("meta");
    const params = { ...call.params, _meta: { traceparent: "00-1", "vendor/x": [1] } };
    const reply = await opened.connection.request({ ...call, params });
    expect(reply).toMatchObject({
      result: { structuredContent: { traceparent: "00-1", "vendor/x": [1] } },
    });
  });
});
