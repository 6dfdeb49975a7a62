import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { type HttpSession, requestOf } from "./harness/http-session.ts";
import {
  contentOf,
  legacyVersions,
  modernVersion,
  structuredOf,
  textOf,
} from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { allGone, sleepers, uniqueSeconds } from "./harness/processes.ts";
import { eventually } from "./harness/conditions.ts";
import { readOf, taskIdOf } from "./harness/told.ts";

setDefaultTimeout(testMsMax);

const laptop = "laptop-0123456789abcdef";
const desk = "desk-0123456789abcdef";

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start({
    tokens: [`laptop ${laptop}`, `desk ${desk}`],
    // Their commands are looked at as they come.
    args: ["--commands", "trusted"],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Status and code of a `ping` with these headers instead of the session's. */
async function pingWith(headers: Readonly<Record<string, string | undefined>>, token = laptop) {
  const client = server.client.withToken(token);
  const answer = await client.post(requestOf(1, "ping"), headers);
  return [answer.status, answer.messages[0]?.error?.code];
}

describe("sessions", () => {
  test("[http.session-id] H11: 200 ids are long, distinct and visible ASCII", async () => {
    const sessions = await Promise.all(Array.from({ length: 200 }, () => server.initialize()));
    const ids = sessions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(200);
    // 22 characters of a 64-letter alphabet are 132 bits.
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{22,}$/);
    const prefixes = new Set(ids.map((id) => id.slice(0, 6)));
    expect(prefixes.size).toBeGreaterThan(195);
    await Promise.all(sessions.map((session) => session.end()));
  });

  test.each([
    ...legacyVersions.map((version) => [version, version]),
    [modernVersion, "2025-11-25"],
    ["1999-01-01", "2025-11-25"],
    ["", "2025-11-25"],
  ])("[http.session] HP2: initialize %p is answered with %p", async (asked, answered) => {
    const session = await server.initialize(asked);
    expect([session.opening.status, session.version]).toEqual([200, answered]);
    expect(session.opening.headers.has("mcp-session-id")).toBe(true);
    expect((await session.request("ping")).result).toEqual({});
  });

  test("[http.session] an id that is missing, unknown or ended", async () => {
    const session = await server.initialize();
    expect(await pingWith(session.headers)).toEqual([200, undefined]);
    const unknown = { ...session.headers, "mcp-session-id": "deadbeef" };
    expect(await pingWith(unknown)).toEqual([404, -32600]);
    const list = await server.client.post(requestOf(1, "tools/list"));
    expect([list.status, onlyMessage(list).error?.code]).toEqual([400, -32600]);
    expect(onlyMessage(list).error?.message).toContain("initialize");
    expect((await session.end()).status).toBe(204);
    expect(await pingWith(session.headers)).toEqual([404, -32600]);
    expect((await session.end()).status).toBe(404);
    expect((await session.listen()).response.status).toBe(404);
  });

  test("[http.session] the version of the header must be what was agreed on", async () => {
    const session = await server.initialize("2025-06-18");
    const other = (version: string | undefined): Promise<unknown[]> =>
      pingWith({ ...session.headers, "mcp-protocol-version": version });
    expect(await other("2025-11-25")).toEqual([400, -32600]);
    expect(await other("2025-03-26")).toEqual([400, -32600]);
    expect(await other("1900-01-01")).toEqual([400, -32600]);
    expect(await other(undefined)).toEqual([200, undefined]);
    expect(await other("2025-06-18")).toEqual([200, undefined]);
    const listening = await session.listen(undefined, { "mcp-protocol-version": "2025-11-25" });
    expect(listening.response.status).toBe(400);
    const ending = await session.end({ "mcp-protocol-version": "2025-11-25" });
    expect(ending.status).toBe(400);
  });

  test("[http.session-owner] a session is not there for another token", async () => {
    const session = await server.initialize("2025-11-25", {}, laptop);
    const { headers } = session;
    expect(await pingWith(headers, laptop)).toEqual([200, undefined]);
    expect(await pingWith(headers, desk)).toEqual([404, -32600]);
    expect(await pingWith(headers, "nobody-0123456789abcdef")).toEqual([401, -32600]);
    const foreign = server.client.withToken(desk);
    for (const method of ["GET", "DELETE"]) {
      const all = { ...headers, accept: "text/event-stream" };
      expect((await foreign.fetch({ method, headers: all })).status).toBe(404);
    }
    expect(await pingWith(headers, laptop)).toEqual([200, undefined]);
  });

  test("[http.session] DELETE ends what runs for the session", async () => {
    const session = await server.initialize();
    const marker = uniqueSeconds();
    await session.call("BackgroundBash", { command: `sleep ${marker}` });
    const open = await session.open("tools/call", {
      name: "Bash",
      arguments: { command: `sleep ${marker}`, timeout: 600_000 },
    });
    await eventually("two sleepers", () => sleepers(marker) === 2);
    await session.end();
    await allGone(`sleep ${marker}`);
    await open.ended;
    expect(open.messages).toEqual([]);
  });

  test("[http.session] a second initialize in a session", async () => {
    const session = await server.initialize();
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "e2e" } };
    const again = await session.post(requestOf("again", "initialize", params));
    // It begins a session of its own; the first one goes on.
    expect(again.headers.get("mcp-session-id")).not.toBe(session.id);
    expect((await session.request("ping")).result).toEqual({});
  });
});

describe("U-cross: sessions side by side", () => {
  const command = (text: string): object => ({ name: "Bash", arguments: { command: text } });

  test("[http.cross] equal ids at the same time are answered to their own sessions", async () => {
    const sessions = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        server.initialize(
          index % 2 === 0 ? "2025-11-25" : "2025-03-26",
          {},
          index < 4 ? laptop : desk,
        ),
      ),
    );
    const replies = await Promise.all(
      sessions.map((session, index) =>
        session.request("tools/call", command(`sleep 0.3; echo for ${index}`), "same"),
      ),
    );
    expect(replies.map(({ id }) => id)).toEqual(sessions.map(() => "same"));
    const texts = replies.map((reply) => contentOf(reply)[0]?.text);
    expect(texts).toEqual(sessions.map((_, index) => `for ${index}\n`));
  });

  test("[http.cross] equal ids of modern requests are answered to their own connections", async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map(async (index) => {
        const params = command(`sleep 0.3; echo for ${index}`) as Record<string, unknown>;
        const open = await server.client.openModern("tools/call", params, "same");
        return textOf(await open.reply("same"));
      }),
    );
    expect(answers).toEqual([1, 2, 3, 4].map((index) => `for ${index}\n`));
  });

  test("[http.cross] cancelling an id ends the request of that session alone", async () => {
    const [one, other] = await Promise.all([server.initialize(), server.initialize()]);
    const marker = uniqueSeconds();
    const params = command(`sleep ${marker}`);
    const opened = await Promise.all([
      one.open("tools/call", params, 7),
      other.open("tools/call", params, 7),
    ]);
    await eventually("two sleepers", () => sleepers(marker) === 2);
    await one.notify("notifications/cancelled", { requestId: 7 });
    await opened[0].ended;
    await eventually("one sleeper", () => sleepers(marker) === 1);
    expect(opened[0].messages).toEqual([]);
    await other.end();
    await allGone(`sleep ${marker}`);
  });

  test("[http.cross] background tasks are counted and read per session, and per token", async () => {
    const [one, other] = await Promise.all([server.initialize(), server.initialize()]);
    const start = async (session: HttpSession, text: string): Promise<number> =>
      taskIdOf(await session.call("BackgroundBash", { command: `echo ${text}` }));
    expect([await start(one, "first"), await start(other, "second")]).toEqual([1, 1]);
    const read = async (session: HttpSession): Promise<unknown> =>
      readOf(await session.call("ReadBgOutput", { task_id: 1, wait_ms: 2_000 })).output;
    expect([await read(one), await read(other)]).toEqual(["first\n", "second\n"]);
    const params = { name: "ListBgTasks", arguments: {} };
    for (const token of [laptop, desk]) {
      const answer = await server.client.withToken(token).modern("tools/call", params);
      expect(structuredOf(onlyMessage(answer))).toMatchObject({ tasks: [] });
    }
  });
});
