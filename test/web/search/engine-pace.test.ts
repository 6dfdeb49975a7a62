import { expect, test } from "bun:test";

import { EnginePace } from "../../../src/web/search/engine-pace.ts";

const patient = new AbortController().signal;
const later = (ms: number): number => performance.now() + ms;

test("EnginePace: the next turn begins when the last has ended and the pause is over", async () => {
  const pace = new EnginePace();
  const first = await pace.take("brave", later(3_000), patient);
  const requestAt = performance.now();
  first?.noteRequest();
  const order: string[] = [];
  const second = pace.take("brave", later(3_000), patient).then((turn) => {
    order.push("second");
    return turn;
  });
  order.push("first ends");
  first?.[Symbol.dispose]();
  using turn = await second;
  expect(turn).toBeDefined();
  expect(order).toEqual(["first ends", "second"]);
  expect(performance.now() - requestAt).toBeGreaterThanOrEqual(990);
});

test("EnginePace: who would come too late gets no turn, and holds up nobody", async () => {
  const pace = new EnginePace();
  const first = await pace.take("duckduckgo", later(3_000), patient);
  first?.noteRequest();
  first?.[Symbol.dispose]();
  expect(await pace.take("duckduckgo", later(3_000), patient)).toBeUndefined();
  using another = await pace.take("brave", later(3_000), patient);
  const late = pace.take("brave", later(20), patient);
  expect(await late).toBeUndefined();
  another?.[Symbol.dispose]();
  using next = await pace.take("brave", later(3_000), patient);
  expect(next).toBeDefined();
});

test("EnginePace: who goes while waiting leaves the line", async () => {
  const pace = new EnginePace();
  const first = await pace.take("brave", later(3_000), patient);
  const impatient = new AbortController();
  const second = pace.take("brave", later(3_000), impatient.signal);
  impatient.abort();
  expect(await second).toBeUndefined();
  first?.[Symbol.dispose]();
  using third = await pace.take("brave", later(3_000), patient);
  expect(third).toBeDefined();
});

test("EnginePace: a free turn goes to the search that has had the fewest", async () => {
  const pace = new EnginePace();
  const engines = ["brave", "bing"] as const;
  const searchOf = (): AbortSignal => new AbortController().signal;
  const first = searchOf();
  for (const engine of engines) {
    using turn = await pace.take(engine, later(3_000), first);
    turn?.noteRequest();
  }
  const order: string[] = [];
  const waiting = ["second", "third"].flatMap((name) => {
    const search = searchOf();
    return engines.map(async (engine) => {
      using turn = await pace.take(engine, later(1_500), search);
      order.push(turn === undefined ? `${name} goes` : `${name} ${engine}`);
      turn?.noteRequest();
    });
  });
  await Promise.all(waiting);
  expect(order.toSorted()).toEqual(["second brave", "second goes", "third bing", "third goes"]);
});
