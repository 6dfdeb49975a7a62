import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { connect } from "node:net";

import { eventually } from "./harness/conditions.ts";
import { Gate } from "./harness/gate.ts";
import { HttpClient } from "./harness/http-client.ts";
import { PairSession } from "./harness/http-pair.ts";
import { HttpServer } from "./harness/http-server.ts";
import { requestOf } from "./harness/http-session.ts";
import { builtTools } from "./harness/built-tools.ts";
import { legacyVersions, textOf, toolNames } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { allGone, sleepers, uniqueSeconds } from "./harness/processes.ts";
import { isListChange, isUpdateOf, startedUri } from "./harness/resources.ts";

setDefaultTimeout(testMsMax);

const laptop = "laptop-0123456789abcdef";
const desk = "desk-0123456789abcdef";
const reader = "reader-0123456789abcdef";

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start({
    tokens: [`laptop ${laptop}`, `desk ${desk}`, `reader ${reader} tools:read`],
    args: ["--sse", "--metrics", "--tool-scopes", "Bash=tools:exec", "--commands", "trusted"],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

function bash(command: string, token?: string): Record<string, unknown> {
  const _meta = token === undefined ? {} : { _meta: { progressToken: token } };
  return { name: "Bash", arguments: { command, timeout: 600_000 }, ..._meta };
}

describe("the pair of endpoints", () => {
  test.each(legacyVersions)(
    "[sse.messages] %s: everything comes on the stream",
    async (version) => {
      using gate = new Gate();
      const session = await PairSession.initialize(server.client, version);
      expect(session.uri).toMatch(/^\/messages\?session=[\w.-]{22,}$/);
      expect(toolNames(await session.request("tools/list"))).toEqual([...builtTools]);
      const { stream } = session;
      const id = await session.send("tools/call", bash(gate.command("a", "b"), "t"));
      const progress = await stream.message("progress", ({ params }) => params?.["progress"] === 1);
      expect(progress).toMatchObject({ method: "notifications/progress" });
      expect((await session.request("ping")).result).toEqual({});
      gate.open();
      expect(textOf(await stream.reply(id))).toStartWith("a\nb\n");
      expect(stream.messages.at(-1)?.id).toBe(id);
      const names = stream.events.map(({ event }) => event);
      expect(names).toEqual(["endpoint", ...names.slice(1).fill("message")]);
      await stream.close();
    },
  );

  test("[sse.messages] changes come on the stream of their session alone", async () => {
    const [session, other] = [
      await PairSession.initialize(server.client),
      await PairSession.initialize(server.client),
    ];
    const uri = startedUri(await session.call("BackgroundBash", { command: "sleep 600" }));
    await session.stream.message("a change of the list", isListChange);
    expect((await session.request("resources/subscribe", { uri })).result).toEqual({});
    await session.call("KillBgTask", { task_id: Number(uri.split("/").at(-1)) });
    await session.stream.message("an update", isUpdateOf(uri));
    await other.request("ping");
    expect(other.stream.messages.filter(({ method }) => method !== undefined)).toEqual([]);
    await Promise.all([session.stream.close(), other.stream.close()]);
  });

  test("[sse.messages] a POST is answered with 202 and nothing", async () => {
    const session = await PairSession.open(server.client);
    const answer = await session.post(requestOf(1, "ping"));
    expect([answer.status, answer.text]).toEqual([202, ""]);
    expect((await session.stream.reply(1)).result).toEqual({});
    expect((await session.notify("notifications/initialized")).status).toBe(202);
    await session.stream.close();
  });

  test("[sse.messages] what is no message is refused where it was sent", async () => {
    const session = await PairSession.initialize(server.client);
    const statusOf = async (value: unknown, headers = {}): Promise<number> =>
      (await session.post(value, headers)).status;
    expect(await statusOf({ jsonrpc: "1.0" })).toBe(400);
    expect(await statusOf([requestOf(1, "ping")])).toBe(400);
    expect(await statusOf(requestOf(1, "ping"), { "content-type": "text/plain" })).toBe(415);
    expect(await statusOf("x".repeat(17_000_000))).toBe(413);
    expect(await statusOf(requestOf(1, "ping"), { "mcp-protocol-version": "2025-11-25" })).toBe(
      400,
    );
    expect((await session.request("ping")).result).toEqual({});
    await session.stream.close();
  });

  test("[sse.switch] without --sse there is no such path", async () => {
    await using plain = await HttpServer.start();
    for (const path of ["/sse", "/messages"]) {
      expect((await plain.client.fetch({ method: "GET", path })).status).toBe(404);
    }
  });

  test("[sse.switch] it is beside --path", async () => {
    await using inFolder = await HttpServer.start({ args: ["--sse", "--path", "/tools/mcp"] });
    const session = await PairSession.open(inFolder.client, "/tools/sse");
    expect(session.uri).toStartWith("/tools/messages?session=");
    expect((await session.request("ping")).result).toEqual({});
    await session.stream.close();
  });

  test("[sse.switch] POST to the stream's path is 405, so that clients fall back", async () => {
    const body = JSON.stringify(requestOf(1, "ping"));
    expect((await server.client.fetch({ path: "/sse", body })).status).toBe(405);
  });
});

describe("who may use it", () => {
  test("[sse.auth] both endpoints want the token, in its header", async () => {
    const session = await PairSession.initialize(server.client);
    const stranger = server.client.withToken("");
    const body = JSON.stringify(requestOf(1, "ping"));
    for (const suffix of ["", `access_token=${laptop}`]) {
      const opening = { method: "GET", path: `/sse?${suffix}` };
      const sending = { path: `${session.uri}&${suffix}`, body };
      for (const options of [opening, sending]) {
        const response = await stranger.fetch(options);
        expect(response.status).toBe(401);
        expect(response.headers.get("www-authenticate")).toStartWith("Bearer ");
      }
    }
    await session.stream.close();
  });

  test("[sse.auth] a session is not there for another token", async () => {
    const session = await PairSession.initialize(server.client);
    const mark = server.home.at("mark");
    const call = requestOf(1, "tools/call", bash(`touch ${mark}`));
    expect((await session.post(call, {}, server.client.withToken(desk))).status).toBe(404);
    expect((await session.request("ping")).result).toEqual({});
    expect(existsSync(mark)).toBe(false);
    await session.stream.close();
  });

  test("[sse.auth] tools whose scope the token lacks", async () => {
    const session = await PairSession.initialize(server.client.withToken(reader));
    expect(toolNames(await session.request("tools/list"))).not.toContain("Bash");
    const refused = await session.post(requestOf(1, "tools/call", bash("echo no")));
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toContain('scope="tools:exec"');
    await session.stream.close();
  });

  test("[sse.auth] pages of foreign origins are refused at both", async () => {
    const headers = { origin: "http://evil.example" };
    const { client } = server;
    expect((await client.fetch({ method: "GET", path: "/sse", headers })).status).toBe(403);
    expect((await client.fetch({ path: "/messages?session=x", headers, body: "{}" })).status).toBe(
      403,
    );
  });
});

describe("the end of a stream", () => {
  posixTest("[sse.end] ends the session and all that runs for it, and no other", async () => {
    const [gone, staying] = [uniqueSeconds(), uniqueSeconds()];
    const begin = async (marker: string): Promise<PairSession> => {
      const session = await PairSession.initialize(server.client);
      await session.call("BackgroundBash", { command: `sleep ${marker}` });
      await session.send("tools/call", bash(`sleep ${marker} & sleep ${marker}`));
      await eventually("its sleepers", () => sleepers(marker) === 3);
      return session;
    };
    const [session, other] = [await begin(gone), await begin(staying)];
    await session.stream.close();
    await allGone(`sleep ${gone}`);
    expect((await session.post(requestOf(1, "ping"))).status).toBe(404);
    expect(sleepers(staying)).toBe(3);
    await other.stream.close();
    await allGone(`sleep ${staying}`);
  });

  posixTest("[sse.end] a client that reads nothing loses it", async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const head = `GET /sse HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${laptop}\r\n\r\n`;
    socket.write(head);
    const uri = await new Promise<string>((resolve) => {
      let text = "";
      socket.on("data", (bytes) => {
        text += bytes.toString();
        const found = /^data: (\S+)$/m.exec(text)?.[1];
        if (found === undefined) return;
        socket.pause();
        resolve(found);
      });
    });
    // The reply has the id, so the stream gets a MiB each time.
    const body = JSON.stringify(requestOf("x".repeat(1_048_576), "ping"));
    await eventually(
      "its end",
      async () => (await server.client.fetch({ path: uri, body })).status === 404,
    );
    socket.destroy();
  });

  posixTest("[sse.drain] after SIGTERM the result of a call still comes", async () => {
    using gate = new Gate();
    await using ending = await HttpServer.start({ args: ["--sse"] });
    const session = await PairSession.initialize(ending.client);
    const idle = await PairSession.initialize(ending.client);
    const id = await session.send("tools/call", bash(gate.command("a", "b"), "t"));
    await session.stream.message("progress", ({ method }) => method === "notifications/progress");
    ending.signal("SIGTERM");
    await eventually("no more work", () =>
      session.post(requestOf("late", "ping")).then(
        ({ status }) => status === 503,
        // Nobody listens any more.
        () => true,
      ),
    );
    gate.open();
    expect(textOf(await session.stream.reply(id))).toStartWith("a\nb\n");
    await Promise.all([session.stream.ended, idle.stream.ended]);
    expect(await ending.ended()).toBe(0);
  });

  test("[sse.end] the session leaves the figures", async () => {
    const count = async (): Promise<number> => {
      const urls = await server.ownUrls();
      const counts = urls.map(async (url) => {
        const own = new HttpClient(url, laptop);
        const response = await own.fetch({ method: "GET", path: "/metrics" });
        return Number(/^scorpiox_http_sessions (\d+)$/m.exec(await response.text())?.[1]);
      });
      return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
    };
    await eventually("none", async () => (await count()) === 0);
    const session = await PairSession.open(server.client);
    expect(await count()).toBe(1);
    await session.stream.close();
    await eventually("none", async () => (await count()) === 0);
  });
});
