import { describe, expect, test } from "bun:test";

import { until } from "../../commands/process/until.ts";
import { request } from "../harness.ts";
import { startEndpoint } from "./endpoint-fixture.ts";
import { beginSession, get, post } from "./exchange.ts";

const initialize = request(1, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});
const call = request("call", "tools/call", { name: "Echo", arguments: {} });
const ping = request(2, "ping");

describe("HttpSessions", () => {
  test("has as many sessions as there may be, and says when to come again", async () => {
    using fixture = startEndpoint({ sessionsMax: 2 });
    const first = await beginSession(fixture);
    await beginSession(fixture);
    const refused = await post(fixture, initialize);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(refused.headers.has("mcp-session-id")).toBe(false);
    expect((await post(fixture, ping, first)).status).toBe(200);
    await fixture.fetch("/mcp", { method: "DELETE", headers: first });
    expect((await post(fixture, initialize)).status).toBe(200);
    expect((await post(fixture, initialize)).status).toBe(503);
  });

  test("one principal has its part of the places, whoever else there is", async () => {
    using fixture = startEndpoint({ sessionsMax: 4, principalPart: 0.5 });
    const begin = async (authorization: string): Promise<number> =>
      (await post(fixture, initialize, { authorization })).status;
    const answers = [];
    for (const principal of ["a", "a", "a", "b", "b", "c"]) answers.push(await begin(principal));
    expect(answers).toEqual([200, 200, 503, 200, 200, 503]);
  });

  test("an idle session gives its place away, and all that hangs on it ends", async () => {
    using fixture = startEndpoint({ sessionsMax: 1, idleMsMax: 0 });
    const first = await beginSession(fixture);
    const second = await beginSession(fixture);
    expect((await post(fixture, ping, first)).status).toBe(404);
    expect((await post(fixture, ping, second)).status).toBe(200);
    expect(fixture.endedIds).toEqual([`session:${first["mcp-session-id"]}`]);
  });

  test("a session that was used a moment ago is not idle", async () => {
    using fixture = startEndpoint({ sessionsMax: 1, idleMsMax: 60_000 });
    await beginSession(fixture);
    expect((await post(fixture, initialize)).status).toBe(503);
  });

  test("a session with a request under way or a reader is not idle", async () => {
    using fixture = startEndpoint({ sessionsMax: 1, idleMsMax: 0 });
    const session = await beginSession(fixture);
    const answer = post(fixture, call, session);
    await until(() => fixture.tools.calls.length === 1);
    expect((await post(fixture, initialize)).status).toBe(503);
    fixture.tools.answer(0);
    expect((await answer).status).toBe(200);
    const stream = await get(fixture, session);
    expect((await post(fixture, initialize)).status).toBe(503);
    await stream.body?.cancel();
    expect((await post(fixture, initialize)).status).toBe(200);
  });

  test("a session is there for its principal alone, whatever else it may do", async () => {
    using fixture = startEndpoint();
    const session = await beginSession(fixture);
    const foreign = { ...session, authorization: "somebody else" };
    expect((await post(fixture, ping, foreign)).status).toBe(404);
    expect((await get(fixture, foreign)).status).toBe(404);
    const ending = await fixture.fetch("/mcp", { method: "DELETE", headers: foreign });
    expect(ending.status).toBe(404);
    expect((await post(fixture, ping, session)).status).toBe(200);
  });

  test("the end of the endpoint ends all of them, once", async () => {
    const fixture = startEndpoint();
    const sessions = [await beginSession(fixture), await beginSession(fixture)];
    fixture.endpoint.close();
    fixture.endpoint.close();
    const ids = sessions.map((headers) => `session:${headers["mcp-session-id"]}`);
    expect(fixture.endedIds).toEqual(ids);
  });
});
