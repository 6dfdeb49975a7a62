import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test";

import { eventually } from "./harness/conditions.ts";
import { Gate } from "./harness/gate.ts";
import { mirrored, modernMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { requestOf } from "./harness/http-session.ts";
import { legacyVersions, textOf } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { allGone, sleepers, uniqueSeconds } from "./harness/processes.ts";
import { taskIdOf } from "./harness/told.ts";

setDefaultTimeout(testMsMax);

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

/** A command whose whole family sleeps, with a grandchild whose parent has ended. */
function family(marker: string, before = ""): Record<string, unknown> {
  const command = `${before}echo up; sleep ${marker} & (sleep ${marker} &) ; sleep ${marker}`;
  return { name: "Bash", arguments: { command, timeout: 600_000 } };
}
const familySize = 3;

function withToken(params: Record<string, unknown>): Record<string, unknown> {
  return { ...params, _meta: { progressToken: "token" } };
}

describe("HP6: a modern client that closes its connection has cancelled its request", () => {
  posixTest("[http.disconnect] before the head of the response", async () => {
    const marker = uniqueSeconds();
    const message = modernMessage(1, "tools/call", family(marker, "trap '' TERM; "));
    const abort = new AbortController();
    const body = JSON.stringify(message);
    const response = server.client.fetch({ headers: mirrored(message), body }, abort.signal);
    response.catch(() => {});
    await eventually("the family", () => sleepers(marker) === familySize);
    abort.abort();
    await allGone(`sleep ${marker}`);
  });

  posixTest("[http.disconnect] while it reads the stream", async () => {
    const marker = uniqueSeconds();
    const open = await server.client.openModern("tools/call", withToken(family(marker)));
    await open.message("progress", ({ method }) => method === "notifications/progress");
    await eventually("the family", () => sleepers(marker) === familySize);
    await open.close();
    await allGone(`sleep ${marker}`);
  });

  posixTest("[http.disconnect] other requests of the same client go on", async () => {
    const [gone, staying] = [uniqueSeconds(), uniqueSeconds()];
    const open = await server.client.openModern("tools/call", withToken(family(gone)));
    const other = await server.client.openModern("tools/call", withToken(family(staying)));
    const both = (): boolean => sleepers(gone) + sleepers(staying) === 2 * familySize;
    await eventually("both families", both);
    await open.close();
    await allGone(`sleep ${gone}`);
    expect(sleepers(staying)).toBe(familySize);
    await other.close();
    await allGone(`sleep ${staying}`);
  });

  posixTest(
    "[http.disconnect] a task that the request left in the background goes on",
    async () => {
      const marker = uniqueSeconds();
      const start = { name: "BackgroundBash", arguments: { command: `sleep ${marker}` } };
      const [started] = (await server.modern("tools/call", start)).messages;
      const taskId = taskIdOf(started ?? { jsonrpc: "" });
      const read = { name: "ReadBgOutput", arguments: { task_id: taskId, wait_ms: 20_000 } };
      const open = await server.client.openModern("tools/call", read);
      await open.close();
      expect(sleepers(marker)).toBe(1);
      await server.modern("tools/call", { name: "KillBgTask", arguments: { task_id: taskId } });
      await allGone(`sleep ${marker}`);
    },
  );

  posixTest(
    "[http.disconnect] notifications/cancelled says nothing of a request over HTTP",
    async () => {
      const open = await server.client.openModern(
        "tools/call",
        withToken({ name: "Bash", arguments: { command: "echo up; sleep 0.7; echo done" } }),
        "mine",
      );
      await open.message("progress", ({ method }) => method === "notifications/progress");
      const cancelled = {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: "mine" },
      };
      const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": cancelled.method };
      expect((await server.client.post(cancelled, headers)).status).toBe(202);
      expect(textOf(await open.reply("mine"))).toBe("up\ndone\n");
    },
  );
});

describe("HP6: a legacy client that loses its connection has cancelled nothing", () => {
  posixTest.each(legacyVersions.slice(1))(
    "[http.lost] in %s the command goes on, and its result can be read",
    async (version) => {
      const session = await server.initialize(version);
      const marker = uniqueSeconds();
      using gate = new Gate();
      const command = `sleep ${marker} & echo up; ${gate.wait}; kill $!; echo done`;
      const params = withToken({ name: "Bash", arguments: { command } });
      const open = await session.open("tools/call", params, 9);
      await open.message("progress", ({ method }) => method === "notifications/progress");
      await open.close();
      await eventually("its child", () => sleepers(marker) === 1);
      gate.open();
      const resumed = await session.listen(open.lastEventId);
      expect(textOf(await resumed.reply(9))).toStartWith("up\ndone\n");
    },
  );

  posixTest(
    "[http.cancelled] notifications/cancelled ends all of it, and nothing follows",
    async () => {
      const session = await server.initialize();
      const marker = uniqueSeconds();
      const open = await session.open("tools/call", withToken(family(marker)), 0);
      await open.message("progress", ({ method }) => method === "notifications/progress");
      await eventually("the family", () => sleepers(marker) === familySize);
      for (const stranger of ["0", 1, null]) {
        await session.notify("notifications/cancelled", { requestId: stranger });
      }
      expect(sleepers(marker)).toBe(familySize);
      const before = open.messages.length;
      await session.notify("notifications/cancelled", { requestId: 0 });
      await allGone(`sleep ${marker}`);
      await open.ended;
      expect(open.messages.slice(before)).toEqual([]);
      const resumed = await session.listen(open.lastEventId);
      await resumed.close();
      expect(resumed.messages).toEqual([]);
    },
  );

  posixTest("[http.cancelled] a batch is answered without the cancelled request", async () => {
    const session = await server.initialize("2025-03-26");
    const marker = uniqueSeconds();
    const batch = [requestOf("long", "tools/call", family(marker)), requestOf("short", "ping")];
    const answer = session.post(batch);
    await eventually("the family", () => sleepers(marker) === familySize);
    await session.notify("notifications/cancelled", { requestId: "long" });
    expect((await answer).messages.map(({ id }) => id)).toEqual(["short"]);
    await allGone(`sleep ${marker}`);
  });
});
