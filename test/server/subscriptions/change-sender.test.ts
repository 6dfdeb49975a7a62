import { describe, expect, test } from "bun:test";
import { changeRetryMs, changeRetryMsMax } from "../../../src/base/limits.ts";
import { ChangeSender } from "../../../src/server/subscriptions/subscriptions.ts";

class Reader {
  readonly sent: string[] = [];
  /** How many more texts it takes before it is too slow. */
  room = Number.POSITIVE_INFINITY;
  readonly outbox: { readonly isCongested: boolean; send(text: string): void };

  constructor() {
    const isFull = (): boolean => this.room <= 0;
    this.outbox = {
      get isCongested() {
        return isFull();
      },
      send: (text) => {
        this.room -= 1;
        this.sent.push(text);
      },
    };
  }
}

/** Timers that a test fires; `delays` has those that were asked for. */
function start() {
  const delays: number[] = [];
  let fire: (() => void) | undefined;
  const sender = new ChangeSender((delayMs, callback) => {
    delays.push(delayMs);
    fire = callback;
    return { stop: () => (fire = undefined) };
  });
  return { sender, delays, fire: () => fire?.() };
}

describe("ChangeSender", () => {
  test("sends at once to who reads", () => {
    const { sender, delays } = start();
    const reader = new Reader();
    for (const text of ["1", "2"]) sender.send(reader, "a", () => text);
    expect([reader.sent, delays]).toEqual([["1", "2"], []]);
  });

  test("keeps the newest of each kind for who does not, in the order of their first coming", () => {
    const { sender, delays, fire } = start();
    const slow = new Reader();
    const quick = new Reader();
    slow.room = 0;
    for (let count = 0; count < 1000; count += 1) {
      for (const key of ["a", "b"]) sender.send(slow, key, () => `${key}${count}`);
    }
    sender.send(quick, "a", () => "quick");
    fire();
    expect([slow.sent, quick.sent]).toEqual([[], ["quick"]]);
    slow.room = 10;
    fire();
    fire();
    expect([slow.sent, delays]).toEqual([
      ["a999", "b999"],
      [changeRetryMs, 2 * changeRetryMs],
    ]);
    sender.send(slow, "a", () => "again");
    expect(slow.sent.at(-1)).toBe("again");
  });

  test("nothing overtakes what waits", () => {
    const { sender, fire } = start();
    const reader = new Reader();
    reader.room = 0;
    sender.send(reader, "a", () => "a");
    reader.room = 1;
    sender.send(reader, "b", () => "b");
    expect(reader.sent).toEqual([]);
    fire();
    reader.room = 1;
    fire();
    expect(reader.sent).toEqual(["a", "b"]);
  });

  test("makes text when it is sent, so that it says what is true then", () => {
    const { sender, fire } = start();
    const reader = new Reader();
    reader.room = 0;
    let state = "working";
    sender.send(reader, "a", () => state);
    state = "done";
    reader.room = 1;
    fire();
    expect(reader.sent).toEqual(["done"]);
  });

  test("looks at who stays away ever more rarely, and soon again at something new", () => {
    const { sender, delays, fire } = start();
    const reader = new Reader();
    reader.room = 0;
    sender.send(reader, "a", () => "a");
    for (let count = 0; count < 10; count += 1) fire();
    expect(delays.slice(0, 4)).toEqual([1, 2, 4, 8].map((factor) => factor * changeRetryMs));
    expect(delays.at(-1)).toBe(changeRetryMsMax);
    const other = new Reader();
    other.room = 0;
    sender.send(other, "a", () => "a");
    expect(delays.at(-1)).toBe(changeRetryMs);
  });

  test("forgets who has gone, and rests when nothing waits", () => {
    const { sender, delays, fire } = start();
    const reader = new Reader();
    reader.room = 0;
    sender.send(reader, "a", () => "a");
    sender.forget(reader);
    reader.room = 10;
    fire();
    expect([reader.sent, delays.length]).toEqual([[], 1]);
  });
});
