import { expect, test } from "bun:test";

import { modern, request } from "../server/harness.ts";
import { type HttpFixture, startHttpFixture } from "./fixture-http.ts";

const jsonFirst = "application/json, text/event-stream";
const streamFirst = "text/event-stream, application/json";

async function openSession(fixture: HttpFixture, protocolVersion: string): Promise<string> {
  const message = request(0, "initialize", { protocolVersion, capabilities: {} });
  const response = await post(fixture, message, { accept: jsonFirst });
  return response.headers.get("mcp-session-id") ?? "none";
}

function post(
  { url }: HttpFixture,
  message: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const all = { "content-type": "application/json", ...headers };
  return fetch(url, { method: "POST", headers: all, body: JSON.stringify(message) });
}

test.each([
  ["2025-11-25", jsonFirst, "application/json"],
  ["2025-11-25", streamFirst, "text/event-stream"],
  ["2025-03-26", streamFirst, "text/event-stream"],
])("%s: a cheap request with Accept %j is answered with %s", async (version, accept, type) => {
  await using fixture = await startHttpFixture();
  const session = await openSession(fixture, version);
  const headers = { accept, "mcp-session-id": session };
  const response = await post(fixture, request(1, "ping"), headers);
  expect(response.headers.get("content-type")).toBe(type);
  expect(await response.text()).toContain('{"jsonrpc":"2.0","id":1,"result":{}}');
});

test("2026-07-28: a reply that is all there is comes as JSON, in whatever order Accept names it", async () => {
  await using fixture = await startHttpFixture();
  const response = await post(fixture, modern(1, "tools/list"), {
    accept: streamFirst,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/list",
  });
  expect(response.headers.get("content-type")).toBe("application/json");
});
