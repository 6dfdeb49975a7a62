import { describe, expect, test } from "bun:test";

import {
  upstreamClientCallsAtOnceMax,
  upstreamLongWaitMs,
  upstreamNeighbourMs,
  upstreamQuickCallMs,
} from "../../../src/base/upstream-limits.ts";
import {
  ClientTurns,
  ConnectionSplit,
  type ServedCall,
} from "../../../src/upstream/manager/client-turns.ts";

/** A clock that stands still until `pass`. */
function stillTime() {
  let now = 1_000_000;
  const timers = new Map<() => void, number>();
  return {
    now: () => now,
    after: (ms: number, act: () => void) => {
      const due = (): void => act();
      timers.set(due, now + ms);
      return { stop: () => void timers.delete(due) };
    },
    async pass(ms: number): Promise<void> {
      now += ms;
      for (const [act, at] of timers) {
        if (at > now) continue;
        timers.delete(act);
        act();
      }
      await settled();
    },
  };
}

const settled = (): Promise<void> => new Promise(setImmediate);

function open(): {
  turns: ClientTurns;
  time: ReturnType<typeof stillTime>;
  slow: () => number;
  call: (client: string, signal?: AbortSignal) => Call;
} {
  const time = stillTime();
  let slow = 0;
  const turns = new ClientTurns(time, () => slow++);
  return {
    turns,
    time,
    slow: () => slow,
    call: (client, signal = new AbortController().signal) => new Call(turns, client, signal),
  };
}

/** A call, and whether it is being served. */
class Call {
  #served: ServedCall | undefined;
  error: unknown;

  constructor(
    private readonly turns: ClientTurns,
    client: string,
    signal: AbortSignal,
  ) {
    const begun = turns.begin(client, () => signal);
    if (begun instanceof Promise) {
      begun.then(
        (served) => (this.#served = served),
        (error: unknown) => (this.error = error),
      );
    } else this.#served = begun;
  }

  get isServed(): boolean {
    return this.#served !== undefined;
  }

  async end(): Promise<void> {
    if (this.#served === undefined) throw new Error("it is not served");
    this.turns.end(this.#served);
    await settled();
  }
}

const served = (calls: readonly Call[]): boolean[] => calls.map(({ isServed }) => isServed);

describe("HB4: one client at a time", () => {
  test("in the order of arrival; calls of one client are served together", async () => {
    const { turns, call } = open();
    turns.serveOneByOne();
    const calls = ["a", "a", "b", "a", "b", "c"].map((client) => call(client));
    expect(served(calls)).toEqual([true, true, false, false, false, false]);
    await calls[0]?.end();
    expect(served(calls)).toEqual([true, true, false, false, false, false]);
    await calls[1]?.end();
    expect(served(calls)).toEqual([true, true, true, false, false, false]);
    await calls[2]?.end();
    expect(served(calls)).toEqual([true, true, true, true, false, false]);
    await calls[3]?.end();
    await calls[4]?.end();
    expect(served(calls)).toEqual([true, true, true, true, true, true]);
    expect(turns.onlyServed).toBe("c");
  });

  test("from the moment in which it is known; what runs by then runs on", async () => {
    const { turns, call } = open();
    const [a, b] = [call("a"), call("b")];
    turns.serveOneByOne();
    expect([turns.onlyServed, served([a, b])]).toEqual([undefined, [true, true]]);
    const again = call("a");
    await b.end();
    expect(again.isServed).toBe(true);
  });

  test("a wait that is cancelled keeps nobody else waiting, and is never served", async () => {
    const { turns, call } = open();
    turns.serveOneByOne();
    const first = call("a");
    const leaving = new AbortController();
    const [left, last] = [call("b", leaving.signal), call("a")];
    leaving.abort();
    await settled();
    expect([left.isServed, String(left.error)]).toEqual([false, expect.stringMatching(/cancel/)]);
    expect(last.isServed).toBe(true);
    await first.end();
    await last.end();
    expect(turns.onlyServed).toBeUndefined();
    const never = call("a", AbortSignal.abort());
    expect(never.isServed).toBe(true);
  });

  test("two long waits are too many, though one ends before the other begins", async () => {
    const { turns, time, slow, call } = open();
    turns.serveOneByOne();
    for (const expected of [0, 1]) {
      const first = call("a");
      const waiting = call("b");
      await time.pass(upstreamLongWaitMs);
      expect(slow()).toBe(expected);
      await first.end();
      await waiting.end();
    }
    await time.pass(upstreamLongWaitMs);
    expect(slow()).toBe(1);
  });

  test("after the split all that wait leave, and so do those that come", async () => {
    const { turns, call } = open();
    turns.serveOneByOne();
    const first = call("a");
    const waiting = call("b");
    turns.split();
    const late = call("a");
    await settled();
    expect([waiting.error, late.error]).toEqual([
      expect.any(ConnectionSplit),
      expect.any(ConnectionSplit),
    ]);
    await first.end();
    expect(turns.onlyServed).toBeUndefined();
  });
});

describe("HB10: a client with many calls", () => {
  const many = 20;

  test("alone sends all of them", () => {
    const { call } = open();
    const calls = Array.from({ length: many }, () => call("a"));
    expect(served(calls)).not.toContain(false);
  });

  test("sends some at once while another client calls, which never waits for it", async () => {
    const { call } = open();
    const other = call("b");
    const calls = Array.from({ length: many }, () => call("a"));
    const count = (): number => served(calls).filter(Boolean).length;
    expect(count()).toBe(upstreamClientCallsAtOnceMax);
    expect(call("b").isServed).toBe(true);
    await other.end();
    for (let at = 0; at < many; at++) {
      expect(count()).toBe(Math.min(many, upstreamClientCallsAtOnceMax + at));
      await calls[at]?.end();
    }
  });

  test("sends more when those are slow, and all of them when the other client is quiet", async () => {
    const { time, call } = open();
    call("b");
    const calls = Array.from({ length: many }, () => call("a"));
    const count = (): number => served(calls).filter(Boolean).length;
    await time.pass(upstreamQuickCallMs);
    expect(count()).toBe(2 * upstreamClientCallsAtOnceMax);
    await time.pass(upstreamNeighbourMs + 1);
    expect(count()).toBe(many);
  });
});
