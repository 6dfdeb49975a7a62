import { expect, test } from "bun:test";

import { DirectSink, ResponseLane } from "../../../src/server/http/response-lane.ts";
import { type Beating, Heartbeat } from "../../../src/server/http/sse-stream.ts";

/** Knows who waits; nobody is called. */
class Watched extends Heartbeat {
  readonly waiting = new Map<number, Beating>();

  override add(lane: Beating): number {
    this.waiting.set(this.waiting.size + 1, lane);
    return this.waiting.size;
  }

  override delete(number: number): void {
    this.waiting.delete(number);
  }
}

function createLane(): { heartbeat: Watched; lane: ResponseLane } {
  const heartbeat = new Watched();
  const openSink = (): DirectSink => new DirectSink(() => {});
  return { heartbeat, lane: new ResponseLane({ statusOf: () => 200, openSink, heartbeat }) };
}

test.each([
  ["is silent", () => {}],
  ["was opened at once", (lane: ResponseLane) => lane.open()],
  ["began with a notification", (lane: ResponseLane) => lane.send("{}")],
] as const)("ResponseLane: a response that %s is kept alive until its reply", (_name, begin) => {
  const { heartbeat, lane } = createLane();
  begin(lane);
  void lane.take();
  expect([...heartbeat.waiting.values()]).toEqual([lane]);
  lane.reply("{}");
  expect(heartbeat.waiting.size).toBe(0);
});

test("ResponseLane: one that is answered at once is not", async () => {
  const { heartbeat, lane } = createLane();
  lane.reply("{}");
  expect([await (await lane.take()).text(), heartbeat.waiting.size]).toEqual(["{}", 0]);
});

test("ResponseLane: without a reply the answer has no body, and says that it was taken", async () => {
  const { lane } = createLane();
  lane.reply(undefined);
  const response = await lane.take();
  expect([response.status, await response.text()]).toEqual([202, ""]);
});
