import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";

import { mirrored, modernMessage, onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { metaKeys } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";

setDefaultTimeout(testMsMax);

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

type Headers = Readonly<Record<string, string | undefined>>;

let lastMark = 0;

/** Calls a tool that would leave a file, with these headers changed; the status, the code, and whether it ran. */
async function callWith(headers: Headers): Promise<readonly [number, number | undefined, boolean]> {
  lastMark += 1;
  const mark = server.home.at(`mark-${lastMark}`);
  const params = { name: "Bash", arguments: { command: `touch ${mark}` } };
  const message = modernMessage(`call-${lastMark}`, "tools/call", params);
  const all = { ...mirrored(message), ...headers };
  const answer = await server.client.post(message, all, server.client.newCheck());
  const reply = onlyMessage(answer);
  expect(reply.id).toBe(`call-${lastMark}`);
  return [answer.status, reply.error?.code, existsSync(mark)];
}

const refused = [400, -32020, false] as const;
const served = [200, undefined, true] as const;
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;

describe("HP4: headers against the body, before any side effect", () => {
  test.each<[string, Headers, typeof refused | typeof served]>([
    ["all as the body says", {}, served],
    ["version: absent", { "mcp-protocol-version": undefined }, refused],
    ["version: another", { "mcp-protocol-version": "2025-11-25" }, refused],
    ["version: unknown", { "mcp-protocol-version": "2031-01-01" }, refused],
    ["version: empty", { "mcp-protocol-version": "" }, refused],
    ["version: twice", { "mcp-protocol-version": "2026-07-28, 2026-07-28" }, refused],
    ["version: outer blanks", { "mcp-protocol-version": " \t2026-07-28\t " }, served],
    ["version: base64", { "mcp-protocol-version": base64("2026-07-28") }, refused],
    ["method: absent", { "mcp-method": undefined }, refused],
    ["method: another", { "mcp-method": "tools/list" }, refused],
    ["method: other case", { "mcp-method": "Tools/Call" }, refused],
    ["method: outer blanks", { "mcp-method": "  tools/call\t" }, served],
    ["method: base64", { "mcp-method": base64("tools/call") }, refused],
    ["name: absent", { "mcp-name": undefined }, refused],
    ["name: another tool", { "mcp-name": "ListBgTasks" }, refused],
    ["name: other case", { "mcp-name": "bash" }, refused],
    ["name: empty", { "mcp-name": "" }, refused],
    ["name: twice", { "mcp-name": "Bash, Bash" }, refused],
    ["name: outer blanks", { "mcp-name": "\t Bash " }, served],
    ["name: base64", { "mcp-name": "=?base64?QmFzaA==?=" }, served],
    ["name: base64 of another tool", { "mcp-name": base64("Grep") }, refused],
    ["name: base64 without padding", { "mcp-name": "=?base64?QmFzaA?=" }, refused],
    ["name: base64 with too much padding", { "mcp-name": "=?base64?QmFzaA===?=" }, refused],
    ["name: base64 of another alphabet", { "mcp-name": "=?base64?QmFz-A==?=" }, refused],
    ["name: base64 with a blank inside", { "mcp-name": "=?base64?QmFz aA==?=" }, refused],
    ["name: base64 of no UTF-8", { "mcp-name": "=?base64?//79/A==?=" }, refused],
    ["name: base64 in capital markers", { "mcp-name": "=?BASE64?QmFzaA==?=" }, refused],
    ["name: base64 without its end", { "mcp-name": "=?base64?QmFzaA==" }, refused],
    ["name: outside of ASCII", { "mcp-name": "B\u00e4sh" }, refused],
    ["an unknown Mcp-Param-*", { "mcp-param-colour": "red" }, served],
    ["a session id and an event id", { "mcp-session-id": "x", "last-event-id": "1-1" }, served],
  ])("[http.headers] %s", async (_, headers, expected) => {
    expect(await callWith(headers)).toEqual(expected);
  });

  test("[http.headers] names of headers have no case", async () => {
    const message = modernMessage(1, "tools/list");
    const upper = Object.entries(mirrored(message)).map(([name, value]) => [
      name.toUpperCase(),
      value,
    ]);
    const answer = await server.client.post(message, Object.fromEntries(upper));
    expect(answer.status).toBe(200);
  });

  test("[http.headers] a modern answer mints and echoes no session", async () => {
    const answer = await server.modern("tools/list", {}, { "mcp-session-id": "abc" });
    expect(answer.status).toBe(200);
    expect(answer.headers.has("mcp-session-id")).toBe(false);
  });

  test("[http.headers] a method without Mcp-Name takes none into account", async () => {
    const answer = await server.modern("tools/list", {}, { "mcp-name": "anything" });
    expect(answer.status).toBe(200);
  });

  test("[http.headers] a call without a name is a fault of its parameters", async () => {
    const answer = await server.modern("tools/call", { arguments: {} });
    expect([answer.status, onlyMessage(answer).error?.code]).toEqual([200, -32602]);
  });

  test("[http.headers] a version that is not served is told when header and body agree", async () => {
    const meta = { [metaKeys.version]: "2027-01-01" };
    const answer = await server.modern("tools/list", { _meta: meta });
    const { error } = onlyMessage(answer);
    expect([answer.status, error?.code]).toEqual([400, -32022]);
    expect(error?.data).toEqual({ supported: ["2026-07-28"], requested: "2027-01-01" });
  });
});
