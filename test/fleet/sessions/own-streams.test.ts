import { describe, expect, test } from "bun:test";

import type { Change } from "../../../src/calls/features.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { beginSession, get, read } from "../../server/http/exchange.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { type SessionReplica, startSessionReplica } from "../../support/engines/session-replica.ts";

const tools: Change = { kind: "tools" };
const listChanged = "notifications/tools/list_changed";

/** A stream that its client can leave. */
class Reader {
  readonly ids: string[] = [];
  count = 0;
  readonly #reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;

  constructor({ body }: Response) {
    if (body === null) throw new Error("there is no stream");
    this.#reader = body.getReader();
    void this.#read();
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for (;;) {
      const { value, done } = await this.#reader.read();
      if (done) return;
      const text = typeof value === "string" ? (value as string) : decoder.decode(value);
      for (const [, id = ""] of text.matchAll(/^id: (.*)$/gm)) this.ids.push(id);
      this.count += text.split(listChanged).length - 1;
    }
  }
}

/** Resolves when all of them have read all changes. */
async function settled(replicas: readonly SessionReplica[], marker: string): Promise<void> {
  const heard = replicas.map(() => false);
  const stops = replicas.map(({ changes }, place) =>
    changes.listen((change) => {
      if (change.kind === "resource" && change.uri === marker) heard[place] = true;
    }),
  );
  replicas[0]?.changes.emit({ kind: "resource", uri: marker });
  await eventually("all have read the changes", () => heard.every(Boolean));
  for (const stop of stops) stop();
}

describe("OwnStreams", () => {
  test("changes of all replicas reach the one stream of a session, each once", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url);
    await using second = await startSessionReplica(redis.url);
    await using third = await startSessionReplica(redis.url);
    const session = await beginSession(first);
    // Known to all of them.
    for (const replica of [second, third]) await get(replica, { ...session, accept: "text/html" });
    const stream = read(await get(second, session));
    expect((await get(third, session)).status).toBe(409);
    const { "mcp-session-id": id } = session;
    for (const [place, replica] of [first, second, third].entries()) {
      replica.changes.emit({ kind: "tools", clientId: `session:${id}` });
      await eventually("it was reported", () => stream.messages.length === place + 1);
    }
    // The same seen by each of them.
    for (const replica of [first, second, third])
      replica.changes.emit({ ...tools, isSeenByAll: true });
    await settled([first, second, third], "a:1");
    expect(stream.messages.map(({ method }) => method)).toEqual([
      listChanged,
      listChanged,
      listChanged,
      listChanged,
    ]);
  });

  test("a client that comes back to another replica has every change once", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url);
    await using second = await startSessionReplica(redis.url);
    const all = [first, second];
    const session = await beginSession(first);
    const clientId = `session:${session["mcp-session-id"]}`;
    let lastEventId = "";
    const counts: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const [here, there] = round % 2 === 0 ? [first, second] : [second, first];
      const headers = round === 0 ? session : { ...session, "last-event-id": lastEventId };
      const stream = new Reader(await get(here, headers));
      await eventually("it has begun", () => stream.ids.length > 0);
      here.changes.emit({ kind: "tools", clientId });
      // The one of this moment, and the one from before.
      const expected = round === 0 ? 1 : 2;
      await eventually("all were reported", () => stream.count >= expected);
      counts.push(stream.count);
      await stream.leave();
      lastEventId = stream.ids.at(-1) ?? "";
      // While nobody reads, and while the stream is nowhere.
      there.changes.emit({ kind: "tools", clientId });
      await settled(all, `a:${round}`);
    }
    const last = new Reader(await get(first, { ...session, "last-event-id": lastEventId }));
    await eventually("the missed one", () => last.count > 0);
    expect([...counts, last.count]).toEqual([1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]);
  });

  test("what another replica has to say goes out on the stream", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url);
    await using second = await startSessionReplica(redis.url);
    const session = await beginSession(first);
    const stream = read(await get(second, session));
    await stream.event("priming", () => true);
    const [reached] = await eventually("it is known to be there", () => {
      const found = first.connections.connectionsOf(`session:${session["mcp-session-id"]}`);
      return found.length > 0 && found[0]?.logInfo("test", "hello") === true && found;
    });
    await stream.event("the message", ({ data }) => data?.includes("hello") === true);
    expect(reached?.canSample).toBe(false);
  });
});
