import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { mirrored, modernMessage, onlyMessage, readAnswer } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { requestOf } from "./harness/http-session.ts";
import { legacyVersions, metaKeys, modernVersion } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";

setDefaultTimeout(testMsMax);

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

type Headers = Readonly<Record<string, string | undefined>>;

const modernHeaders = mirrored(modernMessage(1, "tools/list"));
const onlyVersion = { [metaKeys.version]: modernVersion };

/** Sends a body as it is; the status, and the code of the error if there is one. */
async function outcomeOf(body: string, headers: Headers): Promise<readonly [number, number?]> {
  const check = server.client.newCheck("2025-03-26");
  const answer = await readAnswer(await server.client.fetch({ body, headers }), check);
  const code = answer.messages[0]?.error?.code;
  return code === undefined ? [answer.status] : [answer.status, code];
}

function listWith(meta: object): string {
  return JSON.stringify(requestOf(1, "tools/list", { _meta: meta }));
}

const badArguments = modernMessage(1, "tools/call", { name: "Bash", arguments: { colour: 1 } });
const unknownTool = modernMessage(1, "tools/call", { name: "Nope", arguments: {} });
const badCursor = modernMessage(1, "tools/list", { cursor: "" });
const removed = ["ping", "initialize", "logging/setLevel", "resources/subscribe"];
const removedToo = ["resources/unsubscribe", "tasks/list", "tasks/result"];
const rowOf = (message: ReturnType<typeof modernMessage>): [string, Headers] => [
  JSON.stringify(message),
  mirrored(message),
];

describe("status map", () => {
  test.each<[string, readonly [number, number?], string, Headers]>([
    ["a result", [200], ...rowOf(modernMessage(1, "tools/list"))],
    ["a tool's own failure", [200], ...rowOf(badArguments)],
    ["an error of parameters", [200, -32602], ...rowOf(unknownTool)],
    ["a bad cursor", [200, -32602], ...rowOf(badCursor)],
    ["a notification", [202], '{"jsonrpc":"2.0","method":"notifications/x"}', modernHeaders],
    [
      "a notification whose header differs",
      [400, -32020],
      JSON.stringify({ jsonrpc: "2.0", method: "notifications/x", params: { _meta: onlyVersion } }),
      { "mcp-protocol-version": "2025-11-25" },
    ],
    ["a notification without a session", [400, -32600], '{"jsonrpc":"2.0","method":"x"}', {}],
    ["what is no JSON", [400, -32700], "{", modernHeaders],
    ["nothing", [400, -32700], "", modernHeaders],
    ["a number", [400, -32600], "7", modernHeaders],
    ["another jsonrpc", [400, -32600], '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', {}],
    ["no method", [400, -32600], '{"jsonrpc":"2.0","id":1}', {}],
    ["an id that is null", [400, -32600], '{"jsonrpc":"2.0","id":null,"method":"x"}', {}],
    ["a response", [400, -32600], '{"jsonrpc":"2.0","id":1,"result":{}}', modernHeaders],
    ["an array", [400, -32600], `[${listWith({})}]`, modernHeaders],
    ["an envelope without capabilities", [400, -32602], listWith(onlyVersion), modernHeaders],
    ["an envelope of wrong types", [400, -32602], listWith({ [metaKeys.version]: 7 }), {}],
    ["a header alone", [400, -32602], JSON.stringify(requestOf(1, "tools/list")), modernHeaders],
    [
      "an unknown version",
      [400, -32022],
      listWith({ [metaKeys.version]: "2031-01-01", [metaKeys.capabilities]: {} }),
      { ...modernHeaders, "mcp-protocol-version": "2031-01-01" },
    ],
    [
      "a legacy version in an envelope",
      [400, -32022],
      listWith({ [metaKeys.version]: "2025-11-25", [metaKeys.capabilities]: {} }),
      { ...modernHeaders, "mcp-protocol-version": "2025-11-25" },
    ],
    [
      "an unknown version in the header alone",
      [400, -32600],
      JSON.stringify(requestOf(1, "tools/list")),
      { "mcp-protocol-version": "1900-01-01" },
    ],
    ["an unknown method", [404, -32601], ...rowOf(modernMessage(1, "no/such"))],
    ["no Accept for streams", [406, -32600], listWith({}), { accept: "application/json" }],
    ["another type of body", [415, -32600], "{}", { "content-type": "text/plain" }],
    [
      "another charset",
      [415, -32600],
      "{}",
      { "content-type": "application/json; charset=latin1" },
    ],
  ])("[http.status] %s: %p", async (_, expected, body, headers) => {
    expect(await outcomeOf(body, headers)).toEqual(expected);
  });

  test.each([...removed, ...removedToo])(
    "[http.status] HP3: %s has no modern form",
    async (name) => {
      const answer = await server.modern(name);
      expect([answer.status, onlyMessage(answer).error?.code]).toEqual([404, -32601]);
    },
  );

  test.each(["PUT", "PATCH", "GET", "DELETE"])(
    "[http.status] %s without a session is 405 and names what is answered",
    async (method) => {
      const response = await server.client.fetch({
        method,
        headers: { accept: "text/event-stream" },
      });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toContain("POST");
    },
  );

  test.each(["/", "/nope", "/mcp/", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd"])(
    "[http.status] there is nothing at %s",
    async (path) => {
      const response = await server.client.fetch({ path, body: listWith({}) });
      expect(response.status).toBe(404);
    },
  );
});

describe("ids", () => {
  const ids = [0, "", "1", 1, -1, Number.MAX_SAFE_INTEGER, "nul\u0000", "0".repeat(300)];

  test.each(ids)("[http.ids] HP5: a modern reply has the id %p", async (id) => {
    const good = modernMessage(id, "tools/list");
    const bad = modernMessage(id, "no/such");
    for (const message of [good, bad]) {
      const answer = await server.client.post(message, mirrored(message), server.client.newCheck());
      expect(onlyMessage(answer).id).toBe(id);
    }
    const refused = await server.client.post(good, {}, server.client.newCheck());
    expect([refused.status, onlyMessage(refused).id]).toEqual([400, id]);
  });

  test.each(ids)("[http.ids] HP5: a legacy reply has the id %p", async (id) => {
    const session = await server.initialize("2025-06-18");
    for (const method of ["tools/list", "no/such"]) {
      expect((await session.request(method, undefined, id)).id).toBe(id);
    }
  });

  test.each([
    "{",
    "7",
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1.5}',
  ])("[http.ids] HP5: the answer to %p has no id", async (body) => {
    for (const headers of [{}, modernHeaders]) {
      const response = await server.client.fetch({ body, headers });
      expect(await response.json()).not.toHaveProperty("id");
      expect(response.status).toBe(400);
    }
  });
});

describe("legacy statuses", () => {
  test.each(legacyVersions.slice(1))("[http.status] errors of %s are 200", async (version) => {
    const session = await server.initialize(version);
    const unknown = await session.post(requestOf(1, "no/such"));
    expect([unknown.status, onlyMessage(unknown).error?.code]).toEqual([200, -32601]);
    const ping = await session.post(requestOf(2, "ping"));
    expect([ping.status, onlyMessage(ping).result]).toEqual([200, {}]);
    expect((await session.notify("notifications/x")).status).toBe(202);
    expect((await session.respond("nobody-asked", {})).status).toBe(202);
    const accepted = await session.notify("notifications/cancelled", { requestId: 99 });
    expect([accepted.status, accepted.text]).toEqual([202, ""]);
  });
});
