import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { metaKeys, modern, modernVersion, someLegacyVersions } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, type ServerMessage } from "./harness/server.ts";

setDefaultTimeout(testMsMax);

let http: HttpServer;
beforeAll(async () => {
  http = await HttpServer.start();
});
afterAll(() => http[Symbol.asyncDispose]());

type Params = Readonly<Record<string, unknown>>;
type Ask = (method: string, params: Params) => Promise<ServerMessage>;

const bash = (command: string): Params => ({ name: "Bash", arguments: { command } });

/** What both transports are asked, each of it in every revision. */
const questions: readonly (readonly [string, Params])[] = [
  ["tools/list", {}],
  ["tools/call", bash("echo out; echo err >&2; exit 7")],
  ["tools/call", bash("seq 1 30000 | tail -c 40000; printf '\\303\\244 \\360\\237\\222\\251'")],
  ["tools/call", { name: "ListBgTasks", arguments: {} }],
  ["tools/call", { name: "ReadBgOutput", arguments: { task_id: 99 } }],
  ["tools/call", { name: "Bash", arguments: { command: 7, colour: "red" } }],
  ["tools/call", { name: "Nope", arguments: {} }],
  ["tools/call", {}],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "scorpiox://background/99" }],
  ["resources/read", { uri: "file:///etc/passwd" }],
  ["tools/list", { cursor: "nonsense" }],
  ["prompts/list", {}],
  ["ping", {}],
  ["logging/setLevel", { level: "error" }],
  ["no/such", {}],
];

/** The replies without ids, times, and the names of files. */
async function replies(ask: Ask): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const [method, params] of questions) {
    const { result, error } = await ask(method, params);
    const text = JSON.stringify({ method, result, error })
      .replaceAll(/(durationMs\\*":)[\d.]+/g, "$10")
      // A line of its own, of slow commands: on a busy machine all are.
      .replaceAll(/\\ntook \d+(?:\.\d+)? s(?=\\n|")/g, "")
      .replaceAll(/[^"\s\\]*\/results\/[^"\s\\]+/g, "FILE");
    all.push(JSON.parse(text));
  }
  return all;
}

const overHttp: Ask = async (method, params) => onlyMessage(await http.modern(method, params));

describe("HP1, KF1, KF4: a revision is the same on both transports", () => {
  test.each(someLegacyVersions)("[http.eras] %s", async (version) => {
    await using pipe = new Server();
    const opened = await pipe.initialize(version);
    const session = await http.initialize(version);
    expect(onlyMessage(session.opening).result).toEqual(opened.result);
    const expected = await replies((method, params) => pipe.request(method, params));
    expect(await replies((method, params) => session.request(method, params))).toEqual(expected);
  });

  test("[http.eras] 2026-07-28, also on a pipe and beside sessions that speak others", async () => {
    await using fresh = new Server();
    await using pipe = new Server();
    await pipe.initialize("2025-03-26");
    const expected = await replies((method, params) => fresh.request(method, modern(params)));
    expect(await replies((method, params) => pipe.request(method, modern(params)))).toEqual(
      expected,
    );
    expect(await replies(overHttp)).toEqual(expected);
  });
});

describe("HP1: the era is the message's", () => {
  test("[http.eras] a modern request that names a session leaves it alone", async () => {
    const session = await http.initialize("2025-06-18");
    const answer = await http.modern("tools/list", {}, { "mcp-session-id": session.id });
    expect(onlyMessage(answer).result).toMatchObject({ resultType: "complete" });
    expect(answer.headers.has("mcp-session-id")).toBe(false);
    const { result } = await session.request("tools/list");
    expect(result).not.toHaveProperty("resultType");
    await session.end();
    const again = await http.modern("tools/list", {}, { "mcp-session-id": session.id });
    expect(again.status).toBe(200);
  });

  test("[http.eras] KF7: discovery may be kept, by everybody, and names modern revisions only", async () => {
    const { result } = onlyMessage(await http.modern("server/discover"));
    expect(result).toMatchObject({
      resultType: "complete",
      supportedVersions: [modernVersion],
      cacheScope: "public",
      _meta: { [metaKeys.serverInfo]: { name: "scorpiox-code" } },
    });
    expect(Number(result?.["ttlMs"])).toBeGreaterThan(0);
  });

  test.each([
    ["tools/list", {}],
    ["tools/call", bash("true")],
    ["resources/list", {}],
  ])(
    "[http.eras] %s without a session is answered with how to begin one",
    async (method, params) => {
      const answer = await http.client.post({ jsonrpc: "2.0", id: 1, method, params });
      expect([answer.status, onlyMessage(answer).error?.code]).toEqual([400, -32600]);
      expect(onlyMessage(answer).error?.message).toContain("initialize");
    },
  );

  test("[http.eras] ping needs no session", async () => {
    const answer = await http.client.post({ jsonrpc: "2.0", id: 1, method: "ping" });
    expect([answer.status, onlyMessage(answer).result]).toEqual([200, {}]);
  });
});
