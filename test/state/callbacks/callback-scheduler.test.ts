import { describe, expect, test } from "bun:test";

import { callbackFiresPerTurnMax } from "../../../src/base/limits.ts";
import {
  CallbackScheduler,
  ElapsedClock,
  type SetCallback,
} from "../../../src/state/callbacks/callback-scheduler.ts";
import { FakeTime } from "./fake-time.ts";

const hourMs = 3_600_000;

/** A scheduler in time that a test moves; `fires` has "client slot@seconds". */
class World {
  readonly time = new FakeTime();
  readonly fires: string[] = [];
  readonly busy = new Set<string>();
  onFire: (clientId: string, callback: SetCallback) => void = () => {};
  readonly #startMs = this.time.monotonicMs;
  readonly scheduler = new CallbackScheduler({
    now: new ElapsedClock(this.time.sources).now,
    startTimer: this.time.startTimer,
    isBusy: (clientId) => this.busy.has(clientId),
    onFire: (clientId, callback) => {
      const seconds = Math.round((this.time.monotonicMs - this.#startMs) / 1_000);
      this.fires.push(`${clientId} ${callback.callbackId}@${seconds}`);
      this.onFire(clientId, callback);
    },
  });

  set(delaySeconds: number, repeatCount = -1, clientId = "a"): number {
    const spec = { message: "m", delaySeconds, repeatCount };
    return this.scheduler.set(clientId, spec).callbackId;
  }

  /** A tool call of the client that takes this long. */
  call(ms: number, clientId = "a"): void {
    this.busy.add(clientId);
    this.time.pass(ms);
    this.busy.delete(clientId);
    this.scheduler.callsEnded(clientId);
  }

  /** Seconds to the next fire and fires left, by slot. */
  listed(clientId = "a"): unknown {
    return this.scheduler
      .list(clientId)
      .map(({ callbackId, nextFireMs, firesLeft }) => [callbackId, nextFireMs / 1_000, firesLeft]);
  }
}

describe("CallbackScheduler, when callbacks fire", () => {
  test("after each delay, as often as was said, then the slot is free", () => {
    const world = new World();
    world.set(30, 3);
    world.time.pass(29_999);
    expect([world.fires, world.listed()]).toEqual([[], [[0, 0.001, 3]]]);
    world.time.pass(1);
    expect([world.fires, world.listed()]).toEqual([["a 0@30"], [[0, 30, 2]]]);
    world.time.pass(10 * hourMs);
    expect(world.fires).toEqual(["a 0@30", "a 0@60", "a 0@90"]);
    expect([world.listed(), world.time.waiting]).toEqual([[], 0]);
    expect(world.set(1)).toBe(0);
  });

  test("for ever with -1", () => {
    const world = new World();
    world.set(3_600);
    world.time.pass(1_000 * hourMs);
    expect(world.fires.length).toBe(1_000);
    expect(world.listed()).toEqual([[0, 3_600, -1]]);
  });

  test("eight slots; a ninth is refused, and a slot that was freed is taken first", () => {
    const world = new World();
    const ids = Array.from({ length: 8 }, (_, index) => world.set(index + 1));
    expect(ids).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(() => world.set(1)).toThrow("Error: all callback slots full (max 8)");
    expect(world.set(1, 1, "b")).toBe(0);
    world.scheduler.cancel("a", 3);
    world.scheduler.cancel("a", 5);
    expect([world.set(9), world.set(9)]).toEqual([3, 5]);
  });

  test("those of one moment fire in the order of their deadlines, all of them", () => {
    const world = new World();
    for (const delay of [8, 4, 2]) world.set(delay, 1);
    world.time.sleep(20_000);
    world.time.pass(2_000);
    expect(world.fires).toEqual(["a 2@2", "a 1@2", "a 0@2"]);
  });

  test("many clients share one timer and many turns: none is left out", () => {
    const world = new World();
    const clients = Array.from({ length: callbackFiresPerTurnMax }, (_, index) => `c${index}`);
    for (const clientId of clients) for (const _ of "12") world.set(1, 1, clientId);
    expect(world.time.waiting).toBe(1);
    world.time.pass(1_000);
    expect(world.fires.length).toBe(2 * clients.length);
    expect(new Set(world.fires).size).toBe(2 * clients.length);
    expect(world.time.waiting).toBe(0);
  });
});

test("CallbackScheduler puts nobody off for ever when more is due than there is time for", () => {
  const world = new World();
  const clients = Array.from({ length: callbackFiresPerTurnMax + 10 }, (_, index) => `c${index}`);
  for (const clientId of clients) world.set(1, -1, clientId);
  // A turn takes so long that all of its callbacks are due again after it.
  world.onFire = () => {
    if (world.fires.length % callbackFiresPerTurnMax === 0) world.time.monotonicMs += 1_000;
  };
  while (world.fires.length < 2 * clients.length) world.time.pass(1_000);
  expect(new Set(world.fires.map((fire) => fire.split(" ")[0])).size).toBe(clients.length);
});

describe("CallbackScheduler, clocks", () => {
  // Timers stand still during the sleep: the step that was under way ends first, so it is a minute late at most.
  test.each([
    [5, ["a 0@5", "a 0@10", "a 0@15"]],
    [60, ["a 0@60", "a 0@120", "a 0@180"]],
    [3_600, ["a 0@60", "a 0@3660", "a 0@7260"]],
  ])(
    "after 8 h of sleep a callback of %d s fires once, and again after full delays",
    (delay, fires) => {
      const world = new World();
      world.set(delay, 3);
      world.time.pass(1_000);
      world.time.sleep(8 * hourMs);
      world.time.pass(3 * hourMs);
      expect(world.fires).toEqual(fires);
    },
  );

  test("steps of the timer are a minute at most", () => {
    const world = new World();
    world.set(3_600, 1);
    world.time.pass(hourMs);
    expect([world.fires, world.time.started]).toEqual([["a 0@3600"], 60]);
  });
});

describe("CallbackScheduler, while calls run", () => {
  test("nothing fires; what came due is re-based to a full delay after the call", () => {
    const world = new World();
    world.set(10);
    world.set(100);
    world.busy.add("a");
    world.time.pass(25_000);
    expect([world.fires, world.listed()]).toEqual([
      [],
      [
        [0, 0, -1],
        [1, 75, -1],
      ],
    ]);
    world.call(1_000);
    expect(world.listed()).toEqual([
      [0, 10, -1],
      [1, 74, -1],
    ]);
    world.time.pass(9_999);
    expect(world.fires).toEqual([]);
    world.time.pass(1);
    expect(world.fires).toEqual(["a 0@36"]);
  });

  test("a call that ends before the deadline changes nothing", () => {
    const world = new World();
    world.set(10, 1);
    world.call(9_999);
    world.time.pass(1);
    expect(world.fires).toEqual(["a 0@10"]);
  });

  test("a call of another client keeps nothing back", () => {
    const world = new World();
    world.set(10, 1);
    world.set(10, 1, "b");
    world.call(10_000, "b");
    expect(world.fires).toEqual(["a 0@10"]);
    world.time.pass(10_000);
    expect(world.fires).toEqual(["a 0@10", "b 0@20"]);
  });

  test("a client that is always busy costs no timer", () => {
    const world = new World();
    world.set(1);
    world.busy.add("a");
    world.time.pass(1_000);
    const { started } = world.time;
    world.time.pass(hourMs);
    expect([world.time.started, world.time.waiting]).toEqual([started, 0]);
    world.call(0);
    world.time.pass(1_000);
    expect(world.fires.length).toBe(1);
  });
});

describe("CallbackScheduler, ends", () => {
  test("cancel takes one slot, or all; without callbacks there is no timer", () => {
    const world = new World();
    for (const delay of [1, 2, 3]) world.set(delay);
    expect(world.scheduler.cancel("a", 1).map(({ callbackId }) => callbackId)).toEqual([1]);
    expect(() => world.scheduler.cancel("a", 1)).toThrow("No callback has the id 1. In use: 0, 2.");
    expect(() => world.scheduler.cancel("b", 0)).toThrow("No callback has the id 0. None is set.");
    expect(world.scheduler.cancel("a", null).length).toBe(2);
    expect(world.scheduler.cancel("a", null)).toEqual([]);
    expect(world.time.waiting).toBe(0);
    world.time.pass(hourMs);
    expect(world.fires).toEqual([]);
  });

  test("what is cancelled by a fire of the same moment does not fire, its own repetition included", () => {
    const world = new World();
    for (const delay of [5, 5, 5]) world.set(delay);
    world.onFire = (clientId) => void world.scheduler.cancel(clientId, null);
    world.time.pass(hourMs);
    expect([world.fires, world.listed(), world.time.waiting]).toEqual([["a 0@5"], [], 0]);
  });

  test("what is set by the last fire is kept", () => {
    const world = new World();
    world.set(5, 1);
    world.onFire = () => {
      if (world.fires.length === 1) world.set(7, 1);
    };
    world.time.pass(hourMs);
    expect(world.fires).toEqual(["a 0@5", "a 0@12"]);
  });

  test("a client that is gone has no callbacks, others keep theirs", () => {
    const world = new World();
    world.set(5);
    world.set(5, 1, "b");
    world.scheduler.endClient("a");
    world.scheduler.endClient("nobody");
    world.time.pass(hourMs);
    expect([world.fires, world.listed()]).toEqual([["b 0@5"], []]);
  });

  test("its own end ends all of them", () => {
    const world = new World();
    world.set(5);
    world.set(5, 1, "b");
    world.scheduler[Symbol.dispose]();
    expect(world.time.waiting).toBe(0);
  });
});
