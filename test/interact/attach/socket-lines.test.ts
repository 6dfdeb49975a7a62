import { describe, expect, test } from "bun:test";

import { SendQueue } from "../../../src/interact/attach/socket-lines.ts";
import { attachQueueBytesMax } from "../../../src/base/limits.ts";

/** Takes `room` bytes and then nothing, until there is more room. */
class Reader {
  room: number;
  text = "";

  constructor(room: number) {
    this.room = room;
  }

  write(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, this.room);
    this.room -= taken.length;
    this.text += new TextDecoder().decode(taken);
    return taken.length;
  }
}

describe("SendQueue", () => {
  test("lines come whole and in order, however little room there is at a time", () => {
    const reader = new Reader(3);
    using queue = new SendQueue(reader, () => {});
    queue.send({ a: 1 });
    queue.send({ b: 2 });
    expect([reader.text, queue.isEmpty]).toEqual(['{"a', false]);
    for (let round = 0; round < 10; round++) {
      reader.room = 2;
      queue.drain();
    }
    expect([reader.text, queue.isEmpty]).toEqual(['{"a":1}\n{"b":2}\n', true]);
  });

  test.each([
    ["at the bound a slow reader is kept", 0, false],
    ["above it is given up", 1, true],
  ])("%s", (_, more, isGivenUp) => {
    let givenUp = false;
    using queue = new SendQueue(new Reader(0), () => (givenUp = true));
    const overhead = JSON.stringify("").length + 1;
    queue.send("x".repeat(attachQueueBytesMax / 2 - overhead));
    queue.send("x".repeat(attachQueueBytesMax / 2 - overhead + more));
    expect(givenUp).toBe(isGivenUp);
  });
});
