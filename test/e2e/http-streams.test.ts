import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { Gate } from "./harness/gate.ts";
import type { EventReader } from "./harness/http-events.ts";
import { RawConnection } from "./harness/http-raw.ts";
import { HttpServer } from "./harness/http-server.ts";
import type { HttpSession } from "./harness/http-session.ts";
import { legacyVersions, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";

setDefaultTimeout(testMsMax);

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const streamable = legacyVersions.slice(1);
const eventStream = "text/event-stream";

function bash(command: string, token?: string): Record<string, unknown> {
  const _meta = token === undefined ? {} : { _meta: { progressToken: token } };
  return { name: "Bash", arguments: { command }, ..._meta };
}

const isProgress = ({ method }: { method?: string }): boolean =>
  method === "notifications/progress";

/** The lines that progress told, and the text of the result. */
function told(...readers: readonly EventReader[]): string[] {
  return readers.flatMap(({ messages }) =>
    messages.map((message) =>
      message.method === undefined ? textOf(message) : String(message.params?.["message"]),
    ),
  );
}

describe("the stream of a POST", () => {
  test("[http.stream] a modern call's progress comes before its result, as it happens", async () => {
    using gate = new Gate();
    const open = await server.client.openModern("tools/call", bash(gate.command("a", "b"), "t"), 5);
    expect(open.response.headers.get("content-type")).toBe(eventStream);
    expect(open.response.headers.get("x-accel-buffering")).toBe("no");
    const progress = await open.message("progress", isProgress);
    expect(progress.params).toMatchObject({ progressToken: "t", message: "a" });
    gate.open();
    expect(textOf(await open.reply(5))).toBe("a\nb\n");
    await open.ended;
    // A modern stream cannot be resumed: nothing offers it.
    expect(open.events.filter(({ id, retry }) => id !== undefined || retry !== undefined)).toEqual(
      [],
    );
    expect(open.messages.at(-1)?.id).toBe(5);
  });

  test.each(streamable)("[http.stream] the same in a session of %s", async (version) => {
    using gate = new Gate();
    const session = await server.initialize(version);
    const open = await session.open("tools/call", bash(gate.command("a", "b"), "t"), 5);
    await open.message("progress", isProgress);
    gate.open();
    await open.ended;
    expect(open.messages.map(({ id }) => id).filter((id) => id !== undefined)).toEqual([5]);
    expect(open.messages.at(-1)?.id).toBe(5);
    const ids = open.events.map(({ id }) => id);
    expect(new Set(ids).size).toBe(open.events.length);
    expect(ids).not.toContain(undefined);
  });

  test.each(streamable)("[http.priming] the first event of a stream in %s", async (version) => {
    const session = await server.initialize(version);
    const open = await session.open("tools/call", bash("echo a; sleep 0.2", "t"));
    await open.ended;
    const empty = open.events.filter(({ data }) => data === undefined || data === "");
    if (version === "2025-11-25") {
      expect(empty).toEqual([{ id: expect.any(String), data: "" }]);
      expect(open.events[0]).toEqual(empty[0] ?? {});
    } else {
      expect(empty).toEqual([]);
    }
  });

  test("[http.stream] a call that is silent for long has its head early", async () => {
    using gate = new Gate();
    const open = await server.client.openModern("tools/call", bash(gate.command("a", "b")));
    expect([open.response.status, open.isEnded]).toEqual([200, false]);
    gate.open();
    await open.ended;
    expect(told(open)).toEqual(["a\nb\n"]);
  });

  test("[http.stream] what is answered at once is plain JSON", async () => {
    const session = await server.initialize();
    const open = await session.open("tools/list");
    expect(open.response.headers.get("content-type")).toStartWith("application/json");
    await open.ended;
  });
});

describe("the stream of a session", () => {
  test.each(["application/json", "text/html, text/*;q=0", "*/*;q=0"])(
    "[http.get-stream] GET that takes %p is 406",
    async (accept) => {
      const session = await server.initialize();
      expect((await session.listen(undefined, { accept })).response.status).toBe(406);
    },
  );

  test("[http.get-stream] GET without Accept is 406", async () => {
    await using server = await HttpServer.start({ turn: "connection" });
    const session = await server.initialize();
    using connection = new RawConnection(server.url);
    connection.write(
      `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nMcp-Session-Id: ${session.id}\r\n\r\n`,
    );
    expect(await connection.status()).toBe(406);
  });

  test.each(streamable)(
    "[http.get-stream] there is one, in %s: a second is 409",
    async (version) => {
      const session = await server.initialize(version);
      const first = await session.listen();
      expect(first.response.status).toBe(200);
      expect(first.response.headers.get("content-type")).toBe(eventStream);
      expect((await session.listen()).response.status).toBe(409);
      await first.close();
      const again = await eventuallyOpen(session);
      await session.end();
      await again.ended;
      expect(again.messages).toEqual([]);
    },
  );
});

/** The server learns a moment later that the first reader has gone. */
async function eventuallyOpen(session: HttpSession): Promise<EventReader> {
  for (;;) {
    const reader = await session.listen();
    if (reader.response.status === 200) return reader;
    expect(reader.response.status).toBe(409);
    await Bun.sleep(10);
  }
}

describe("coming back with Last-Event-ID", () => {
  test.each(streamable)("[http.resume] in %s the rest of that stream, once", async (version) => {
    using gate = new Gate();
    const session = await server.initialize(version);
    const [one, other] = await Promise.all([
      session.open("tools/call", bash(gate.command("one", "end"), "1"), 1),
      session.open("tools/call", bash(gate.command("other", "end"), "2"), 2),
    ]);
    await Promise.all([one.message("progress", isProgress), other.message("progress", isProgress)]);
    await Promise.all([one.close(), other.close()]);
    const first = one.lastEventId;
    // It goes on while it is read again …
    const live = await session.listen(first);
    gate.open();
    expect(textOf(await live.reply(1))).toStartWith("one\nend\n");
    await live.ended;
    expect(told(one)).toEqual(["one"]);
    // … and can be read when it has ended, from any place, as often as wanted.
    const replayed = await session.listen(first);
    await replayed.ended;
    expect(replayed.messages).toEqual(live.messages);
    const rest = await session.listen(replayed.events.at(-2)?.id ?? first);
    await rest.ended;
    expect(rest.messages).toEqual(live.messages.slice(-1));
    expect(replayed.messages.every(({ id }) => id === undefined || id === 1)).toBe(true);
    const second = await session.listen(other.lastEventId);
    await second.ended;
    expect(textOf(await second.reply(2))).toStartWith("other\nend\n");
  });

  test("[http.resume] from its very first event, which 2025-11-25 sends for that", async () => {
    const session = await server.initialize();
    const open = await session.open("tools/call", bash("sleep 1.2; echo done"), 3);
    const priming = await open.event("the priming event", ({ data }) => data === "");
    await open.close();
    const resumed = await session.listen(priming.id);
    expect(textOf(await resumed.reply(3))).toStartWith("done\n");
  });

  test.each(["99-1", "1-99999", "nonsense", "", "0-0", "1-1\u00e9"])(
    "[http.resume] the unknown id %p opens a live stream",
    async (id) => {
      const session = await server.initialize();
      const reader = await session.listen(id);
      expect(reader.response.status).toBe(200);
      await reader.close();
      expect(reader.messages).toEqual([]);
    },
  );

  test("[http.resume] events of one session are not there for another", async () => {
    const [one, other] = [await server.initialize(), await server.initialize()];
    const open = await one.open("tools/call", bash("echo secret; sleep 0.1", "t"), 1);
    await open.ended;
    const first = open.events[0]?.id;
    const foreign = await other.listen(first);
    await foreign.close();
    expect(foreign.messages).toEqual([]);
    const own = await one.listen(first);
    await own.ended;
    expect(told(own).at(-1)).toBe("secret\n");
  });
});
