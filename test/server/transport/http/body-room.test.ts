import { describe, expect, test } from "bun:test";
import { Shares } from "../../../../src/base/turns.ts";
import { readBody } from "../../../../src/server/transport/http/read-body.ts";
import { until } from "../../../commands/process/until.ts";

const json = { "content-type": "application/json" };

function post(body: string | ReadableStream<Uint8Array>, headers = {}): Request {
  const all = { ...json, ...headers };
  return new Request("http://localhost/mcp", { method: "POST", body, headers: all });
}

/** A body that comes in pieces and does not say its length. */
function pieces(...texts: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(Buffer.from(text));
      controller.close();
    },
  });
}

const large = (): Request => post(`"${"x".repeat(38)}"`, { "content-length": "40" });
const largeInPieces = (): Request => post(pieces('"', "x".repeat(38), '"'));
/** 40 bytes of which the last ones do not come; `end` makes them fail. */
function halfOf(): { request: Request; end: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.alloc(40)),
    pull: () => promise,
  });
  return { request: post(body), end: () => reject(new Error("gone")) };
}

describe("BodyRoom", () => {
  test.each<[string, () => Request]>([
    ["of known length", large],
    ["in pieces", largeInPieces],
  ])("a body %s has to wait while others come, of all senders and of its own", async (_, next) => {
    const shared = { bytesMax: 100, msMax: 10_000, shares: new Shares(100, 0.5) };
    const [first, second] = [halfOf(), halfOf()];
    const readings = [readBody(first.request, "a", shared), readBody(second.request, "b", shared)];
    await until(() => !shared.shares.hasRoomFor("c", 40) && !shared.shares.hasRoomFor("a", 20));
    expect(await readBody(next(), "c", shared)).toMatchObject({ status: 503 });
    first.end();
    await readings[0];
    expect(await readBody(next(), "b", shared)).toMatchObject({ status: 503 });
    expect((await readBody(next(), "c", shared)).kind).toBe("value");
    second.end();
    await readings[1];
    expect([shared.shares.hasRoomFor("a", 50), shared.shares.hasRoomFor("b", 50)]).toEqual([
      true,
      true,
    ]);
  });

  test.each<[string, Request]>([
    ["whole", post("1")],
    ["no JSON", post("x")],
    ["too long, in pieces", post(pieces("x".repeat(60), "x".repeat(60)))],
    ["for which there is no room, in pieces", post(pieces("x".repeat(60), "x".repeat(30)))],
    ["late", post(new ReadableStream({ start: (one) => one.enqueue(Buffer.alloc(10)) }))],
  ])("a body that is %s gives back what it took", async (_name, request) => {
    const shares = new Shares(80);
    await readBody(request, "a", { bytesMax: 100, msMax: 20, shares });
    expect(shares.hasRoomFor("a", 80)).toBe(true);
  });
});
