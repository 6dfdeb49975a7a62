import { describe, expect, test } from "bun:test";

import type { HttpEndpointParts } from "../../../src/server/http/http-endpoint.ts";
import type { ClientProfile } from "../../../src/server/connection/session.ts";
import { createRefusal } from "../../../src/server/auth/authorizer.ts";
import { until } from "../../commands/process/until.ts";
import { mirrored, modernMessage } from "../../e2e/harness/http-client.ts";
import { RecordingObserver } from "../../observe/recorded.ts";
import { C, notification, request, tasksCapability } from "../harness.ts";
import { type EndpointFixture, startEndpoint } from "./endpoint-fixture.ts";
import { beginSession, post, postModern, read } from "./exchange.ts";
import { PairClient } from "./pair-client.ts";

const call = (id: number, name = "Echo"): object =>
  request(id, "tools/call", { name, arguments: {} });
const echo = { name: "Echo", arguments: {} };
const failed = '{"content":[],"isError":true}';

interface Watched extends EndpointFixture {
  readonly observer: RecordingObserver;
}

function start(parts: Partial<HttpEndpointParts> = {}): Watched {
  const observer = new RecordingObserver();
  const profile = (id: string): ClientProfile => ({
    id,
    owner: "token:laptop",
    limitsFor: () => ({ answerMs: 0, resultCharsMax: 1_000 }),
    fallbackDir: "/fallback",
  });
  const fixture = startEndpoint({
    observer,
    addressOf: () => "192.0.2.1",
    sessionProfile: ({ id }) => profile(`session:${id}`),
    principalProfile: ({ id }) => profile(`principal:${id}`),
    ...parts,
  });
  return { ...fixture, observer, [Symbol.dispose]: () => fixture[Symbol.dispose]() };
}

describe("observers see the end of every request", () => {
  test("of both eras, with client, outcome and bytes", async () => {
    using fixture = start();
    const session = await beginSession(fixture);
    const answers = [post(fixture, call(1), session), postModern(fixture, echo)];
    await until(() => fixture.tools.calls.length === 2);
    fixture.tools.answer(0);
    fixture.tools.answer(1, failed);
    for (const answer of answers) await read(await answer).ended;
    await post(fixture, request(2, "no/such"), session);
    expect(fixture.observer.lines).toEqual([
      "token:laptop test initialize  ok true",
      "token:laptop test tools/call Echo ok true",
      "token:laptop e2e tools/call Echo tool_error true",
      "token:laptop test no/such  error:-32601 true",
    ]);
    expect(fixture.observer.begun).toHaveLength(4);
    expect(fixture.observer.ends.map(({ request: { facts } }) => facts.address)).toEqual(
      Array.from({ length: 4 }, () => "192.0.2.1"),
    );
    expect(fixture.observer.refusals).toEqual([]);
  });

  test("a modern client that goes has cancelled", async () => {
    using fixture = start();
    const _meta = { progressToken: "t" };
    const response = postModern(fixture, { ...echo, _meta });
    await until(() => fixture.tools.calls.length === 1);
    fixture.tools.calls[0]?.request.onProgress?.("begun");
    await (await response).body?.cancel();
    await until(() => fixture.observer.ends.length > 0);
    expect(fixture.observer.lines).toEqual(["token:laptop e2e tools/call Echo cancelled false"]);
  });

  test("a session that ends has cancelled", async () => {
    using fixture = start();
    const session = await beginSession(fixture);
    void post(fixture, call(1), session);
    await until(() => fixture.tools.calls.length === 1);
    await fixture.fetch("/mcp", { method: "DELETE", headers: session });
    await until(() => fixture.observer.ends.length > 1);
    expect(fixture.observer.lines.at(-1)).toBe("token:laptop test tools/call Echo cancelled false");
  });

  test("a broken connection of a session cancels nothing", async () => {
    using fixture = start();
    const session = await beginSession(fixture);
    const accept = "text/event-stream, application/json;q=0.1";
    const response = await post(fixture, call(1), { ...session, accept });
    await until(() => fixture.tools.calls.length === 1);
    await response.body?.cancel();
    fixture.tools.answer(0);
    await until(() => fixture.observer.ends.length > 1);
    expect(fixture.observer.lines.at(-1)).toBe("token:laptop test tools/call Echo ok true");
  });

  test("each element of a batch is one", async () => {
    using fixture = start();
    const session = await beginSession(fixture, "2025-03-26");
    const batch = [call(1), notification("notifications/progress"), request(2, "ping")];
    const answer = post(fixture, batch, session);
    await until(() => fixture.tools.calls.length === 1);
    fixture.tools.answer(0);
    await answer;
    expect(fixture.observer.lines.slice(1)).toEqual([
      "token:laptop test ping  ok true",
      "token:laptop test tools/call Echo ok true",
    ]);
  });

  test("a call that became an MCP task ends with the task", async () => {
    using fixture = start();
    fixture.tools.taskSupports.set("Echo", "optional");
    const _meta = { [C]: tasksCapability };
    const message = modernMessage(1, "tools/call", { ...echo, _meta });
    const answer = post(fixture, message, mirrored(message));
    await until(() => fixture.tools.calls.length === 1);
    fixture.tools.calls[0]?.request.becomeTask?.();
    expect((await answer).status).toBe(200);
    expect(fixture.observer.lines).toEqual([]);
    fixture.tools.answer(0, failed);
    await until(() => fixture.observer.ends.length > 0);
    expect(fixture.observer.lines).toEqual(["token:laptop e2e tools/call Echo tool_error true"]);
  });

  test("over HTTP+SSE too", async () => {
    using fixture = start({ ssePair: { stream: "/sse", messages: "/messages" } });
    const client = await PairClient.initialize(fixture);
    await client.exchange(1, request(2, "ping"));
    expect(fixture.observer.lines).toEqual([
      "token:laptop old initialize  ok true",
      "token:laptop old ping  ok true",
    ]);
    expect(fixture.observer.ends[1]?.request.facts.address).toBe("192.0.2.1");
  });
});

describe("observers see refusals", () => {
  const refusal = { address: "192.0.2.1", principal: undefined, tool: undefined };

  test("of tokens, with their status", async () => {
    using fixture = start({ authorize: () => createRefusal(401, "no") });
    await post(fixture, request(1, "ping"));
    expect(fixture.observer.refusals).toEqual([{ ...refusal, status: 401 }]);
  });

  test("of hosts, bodies and sessions", async () => {
    using fixture = start();
    await post(fixture, request(1, "ping"), { host: "evil.example" });
    await fixture.fetch("/mcp", { method: "POST", headers: { "content-type": "text/plain" } });
    await post(fixture, request(1, "ping"), { "mcp-session-id": "none" });
    await fixture.fetch("/elsewhere");
    const [host, ...others] = fixture.observer.refusals;
    expect(host).toEqual({ ...refusal, status: 403 });
    expect(others.map(({ status, principal }) => [status, principal])).toEqual([
      [415, "local"],
      [404, "local"],
      [404, undefined],
    ]);
  });

  test("of a tool that the token has no scope for, by its name", async () => {
    using fixture = start({ refuseTool: () => new Response("", { status: 403 }) });
    await postModern(fixture, echo, { authorization: "guest" });
    expect(fixture.observer.refusals).toEqual([
      { ...refusal, status: 403, principal: "guest", tool: "Echo" },
    ]);
    expect(fixture.observer.ends).toEqual([]);
  });

  test("an error of a method is not a refusal, whatever its status", async () => {
    using fixture = start();
    const message = modernMessage(1, "no/such", {});
    expect((await post(fixture, message, mirrored(message))).status).toBe(404);
    expect([fixture.observer.refusals, fixture.observer.lines]).toEqual([
      [],
      ["token:laptop e2e no/such  error:-32601 true"],
    ]);
  });
});
