import { describe, expect, test } from "bun:test";

import type { HubStatus } from "../../../src/hub/watch/hub-status.ts";
import { HubWatch } from "../../../src/hub/watch/hub-watch.ts";
import { LinkPair, status } from "./watch-pair.ts";

function sources(answer: () => HubStatus | Promise<HubStatus>) {
  const seen = { stops: 0 };
  return {
    seen,
    sources: {
      status: answer,
      stop: () => {
        seen.stops++;
        return Promise.resolve();
      },
    },
  };
}

describe("HubWatch", () => {
  test("shows the status of the hub, as often as it is asked", async () => {
    const pair = new LinkPair();
    let uptime = 0;
    pair.serve(sources(() => ({ ...status, startedAt: ++uptime })).sources);
    using watch = await pair.open();
    expect(await watch.status()).toEqual({ ...status, startedAt: 1 });
    expect(await watch.status()).toEqual({ ...status, startedAt: 2 });
  });

  test("is not there where no hub is", async () => {
    expect(await HubWatch.open(() => Promise.resolve(undefined))).toBeUndefined();
  });

  test("stops a hub without running kept tasks", async () => {
    const pair = new LinkPair();
    const { sources: given, seen } = sources(() => ({
      ...status,
      kept: status.kept.map((task) => ({ ...task, state: "exited" })),
    }));
    pair.serve(given);
    using watch = await pair.open();
    expect([await watch.stop({ endsKept: false }), seen.stops]).toEqual([{ kind: "stopping" }, 1]);
  });

  test("stops one with running kept tasks only when it ends these too", async () => {
    const pair = new LinkPair();
    const { sources: given, seen } = sources(() => status);
    pair.serve(given);
    using watch = await pair.open();
    expect(await watch.stop({ endsKept: false })).toEqual({ kind: "keeps", running: 1 });
    expect(seen.stops).toBe(0);
    expect(await watch.stop({ endsKept: true })).toEqual({ kind: "stopping" });
    expect(seen.stops).toBe(1);
  });

  test("says why there is no status", async () => {
    const pair = new LinkPair();
    pair.serve(sources(() => Promise.reject(new Error("no memory"))).sources);
    using watch = await pair.open();
    expect(watch.status()).rejects.toThrow("The hub refused: no memory.");
  });

  test("fails with the reason when the hub goes, then and later", async () => {
    const pair = new LinkPair();
    pair.serveBy({ onText: () => pair.hubLink.close(), onClosed: () => {} });
    using watch = await pair.open();
    expect(watch.status()).rejects.toThrow("The hub closed the connection: closed.");
    expect(await watch.closed).toBe("closed");
    expect(watch.status()).rejects.toThrow("The hub closed the connection: closed.");
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["no object", "[]"],
    ["no id", '{"version":1,"type":"status"}'],
    ["a status that is none", '{"version":1,"id":1,"type":"status","status":{"pid":"x"}}'],
    ["a reply that does not exist", '{"version":1,"id":1,"type":"dance"}'],
  ])("leaves a hub that answers with %s", async (_, text) => {
    const pair = new LinkPair();
    pair.serveBy({ onText: () => pair.hubLink.send(text), onClosed: () => {} });
    using watch = await pair.open();
    expect(watch.status()).rejects.toThrow("The hub closed the connection");
    await watch.closed;
    expect(pair.isClosed).toBe(true);
  });

  test("does not take the answer of a hub with another version for one", async () => {
    const pair = new LinkPair();
    pair.serveBy({
      onText: () => pair.hubLink.send('{"version":2,"id":1,"type":"status"}'),
      onClosed: () => {},
    });
    using watch = await pair.open();
    expect(watch.status()).rejects.toThrow("The hub refused: it does not know this request.");
  });
});

describe("serveWatch()", () => {
  test.each([
    ["no JSON", "{"],
    ["no id", '{"version":1,"type":"status"}'],
    ["a long text", JSON.stringify({ version: 1, id: 1, type: "status", x: "x".repeat(5_000) })],
  ])("leaves a watcher that sends %s", async (_, text) => {
    const pair = new LinkPair();
    pair.serve(sources(() => status).sources);
    using watch = await pair.open();
    pair.watcherLink.send(text);
    await watch.closed;
    expect(pair.sent).toEqual([]);
  });

  test("leaves a watcher that asks without end before it is answered", async () => {
    const pair = new LinkPair();
    let asked = 0;
    const never = new Promise<HubStatus>(() => {});
    pair.serve(sources(() => (asked++, never)).sources);
    using watch = await pair.open();
    const asking = Promise.allSettled(Array.from({ length: 50 }, () => watch.status()));
    expect((await asking).every(({ status: kind }) => kind === "rejected")).toBe(true);
    expect(asked).toBe(8);
  });

  test("leaves a watcher that reads nothing", async () => {
    const pair = new LinkPair();
    pair.serve(sources(() => status).sources);
    pair.waitingBytes = 100_000_000;
    using watch = await pair.open();
    expect(watch.status()).rejects.toThrow("The hub closed the connection");
    await watch.closed;
  });

  test.each([
    ["of a later version", '{"version":2,"id":7,"type":"status"}'],
    ["that does not exist", '{"version":1,"id":7,"type":"dance"}'],
  ])("says that it does not know a request %s, and goes on", async (_, text) => {
    const pair = new LinkPair();
    pair.serve(sources(() => status).sources);
    using watch = await pair.open();
    pair.watcherLink.send(text);
    expect((await watch.status()).pid).toBe(status.pid);
    expect(pair.sent[0]).toBe('{"version":1,"type":"unknown","id":7}');
  });

  test("closes the link when the hub cannot end", async () => {
    const pair = new LinkPair();
    pair.serve({ status: () => status, stop: () => Promise.reject(new Error("no")) });
    using watch = await pair.open();
    expect(await watch.stop({ endsKept: true })).toEqual({ kind: "stopping" });
    await watch.closed;
    expect(pair.isClosed).toBe(true);
  });
});
