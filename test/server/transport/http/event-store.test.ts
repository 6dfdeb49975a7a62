import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  resumableCharsMax,
  resumableCharsTotalMax,
  resumableEventsMax,
} from "../../../../src/base/limits.ts";
import { EventMemory, EventStore } from "../../../../src/server/transport/http/event-store.ts";

describe("EventStore", () => {
  test("replays what follows on the same stream, in order", () => {
    const store = new EventStore();
    const ids = [store.add(1, "a"), store.add(2, "b"), store.add(1, "c"), store.add(1, "d")];
    expect(ids).toEqual(["1-1", "2-2", "1-3", "1-4"]);
    expect(ids.map((id) => store.after(id))).toEqual([
      {
        stream: 1,
        events: [
          { id: "1-3", data: "c" },
          { id: "1-4", data: "d" },
        ],
      },
      { stream: 2, events: [] },
      { stream: 1, events: [{ id: "1-4", data: "d" }] },
      { stream: 1, events: [] },
    ]);
  });

  test("an event without data has an id to come back with and is not sent again", () => {
    const store = new EventStore();
    const first = store.add(0, "a");
    const priming = store.add(0, "");
    store.add(0, "b");
    const rest = { stream: 0, events: [{ id: "0-3", data: "b" }] };
    expect([first, priming].map((id) => store.after(id))).toEqual([rest, rest]);
  });

  test.each([
    "",
    "1",
    "1-",
    "-1",
    "1-0",
    "1-3",
    "2-1",
    "01-1x",
    "1-1-1",
    " 1-1",
    "1-1\n",
    "1-1e0",
    "-1-1",
    "1-99999999999999999999",
    "x".repeat(10_000),
  ])("does not know %p", (id) => {
    const store = new EventStore();
    store.add(1, "a");
    store.add(1, "b");
    expect(store.after(id)).toBeUndefined();
  });

  test.each<[number, number]>([
    [resumableEventsMax - 1, 1],
    [resumableEventsMax, 1],
    [resumableEventsMax + 1, 2],
    [resumableEventsMax + 10, 11],
  ])("of %d events the first it has is number %d", (count, first) => {
    const store = new EventStore();
    const priming = store.add(1, "");
    for (let number = 1; number <= count; number += 1) store.add(1, String(number));
    const events = store.after(priming)?.events ?? [];
    expect(events.length).toBe(Math.min(count, resumableEventsMax));
    expect(events[0]?.data).toBe(String(first));
    expect(events.at(-1)?.data).toBe(String(count));
  });

  test.each<[number, string[]]>([
    [-1, ["a", "b"]],
    [0, ["a", "b"]],
    [1, ["b"]],
    [resumableCharsMax, ["b"]],
  ])("two events that together are %d characters above the bound", (excess, kept) => {
    const store = new EventStore();
    const priming = store.add(1, "");
    store.add(1, "a".repeat(10));
    store.add(1, "b".repeat(resumableCharsMax - 10 + excess));
    expect(store.after(priming)?.events.map(({ data }) => data[0] ?? "")).toEqual(kept);
  });

  test("an id stays known when its event has gone, on its stream and no other", () => {
    const store = new EventStore(undefined, { eventsMax: 1, charsMax: 100 });
    const gone = store.add(1, "a");
    const kept = store.add(2, "b");
    expect(store.after(gone)).toEqual({ stream: 1, events: [] });
    expect(store.after(kept)).toEqual({ stream: 2, events: [] });
    expect(store.after("1-2")).toBeUndefined();
  });

  test("a client that comes back after any event gets the rest of that stream, as far as it is kept", () => {
    const streams = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 });
    fc.assert(
      fc.property(streams, fc.integer({ min: 1, max: 30 }), (order, eventsMax) => {
        const store = new EventStore(undefined, { eventsMax, charsMax: 1000 });
        const sent = order.map((stream, index) => {
          const data = `event ${index}`;
          return { stream, event: { id: store.add(stream, data), data } };
        });
        const kept = sent.slice(-eventsMax);
        for (const [index, { stream, event }] of sent.entries()) {
          const rest = sent.slice(index + 1).filter((other) => kept.includes(other));
          expect(store.after(event.id)).toEqual({
            stream,
            events: rest.filter((other) => other.stream === stream).map((other) => other.event),
          });
        }
      }),
    );
  });
});

describe("EventMemory", () => {
  const dataOf = (store: EventStore, id: string): string[] =>
    (store.after(id)?.events ?? []).map(({ data }) => data);

  test("the session that was silent for longest loses its oldest events first", () => {
    const memory = new EventMemory(6);
    const [one, two] = [new EventStore(memory), new EventStore(memory)];
    const [first, second] = [one.add(0, ""), two.add(0, "")];
    for (const data of ["a1", "a2"]) one.add(0, data);
    two.add(0, "b1");
    expect([dataOf(one, first), dataOf(two, second)]).toEqual([["a1", "a2"], ["b1"]]);
    two.add(0, "b2");
    expect([dataOf(one, first), dataOf(two, second)]).toEqual([["a2"], ["b1", "b2"]]);
    one.add(0, "a3");
    expect([dataOf(one, first), dataOf(two, second)]).toEqual([["a2", "a3"], ["b2"]]);
  });

  test("what a session that ended held is free again", () => {
    const memory = new EventMemory(4);
    const [one, two] = [new EventStore(memory), new EventStore(memory)];
    one.add(0, "aaaa");
    one.clear();
    const priming = two.add(0, "");
    two.add(0, "bb");
    two.add(0, "bb");
    expect(dataOf(two, priming)).toEqual(["bb", "bb"]);
  });

  test.each<[number, number]>([
    [-1, 1],
    [0, 1],
    [1, 0],
  ])("an event %d characters above the whole bound: %d kept", (excess, kept) => {
    const store = new EventStore(new EventMemory());
    const priming = store.add(0, "");
    store.add(0, "x".repeat(resumableCharsTotalMax + excess));
    expect(dataOf(store, priming)).toHaveLength(kept);
  });

  test("never holds more than its bound, and what it holds is the newest of each session", () => {
    const appends = fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 6 })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(appends, (steps) => {
        const memory = new EventMemory(20);
        const bounds = { eventsMax: 4, charsMax: 12 };
        const stores = Array.from({ length: 4 }, () => new EventStore(memory, bounds));
        const primings = stores.map((store) => store.add(0, ""));
        const sent: string[][] = stores.map(() => []);
        for (const [index, length] of steps) {
          const data = String.fromCodePoint(97 + ((sent[index]?.length ?? 0) % 26)).repeat(length);
          stores[index]?.add(0, data);
          sent[index]?.push(data);
        }
        const held = stores.map((store, index) => dataOf(store, primings[index] ?? ""));
        expect(held.flat().join("").length).toBeLessThanOrEqual(20);
        for (const [index, kept] of held.entries()) {
          expect(kept).toEqual(kept.length === 0 ? [] : (sent[index]?.slice(-kept.length) ?? []));
        }
      }),
    );
  });
});
