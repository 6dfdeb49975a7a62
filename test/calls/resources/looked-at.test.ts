import { expect, test } from "bun:test";

import { LookedAt } from "../../../src/calls/resources/watch-scope.ts";

test("LookedAt tells once of each change, whoever looks first", async () => {
  let state = "a";
  let told = 0;
  const changed = Promise.withResolvers<void>();
  const tell = (): void => {
    told++;
    changed.resolve();
  };
  const looked = new LookedAt(() => state, tell, 1);
  looked.lookNow();
  expect(told).toBe(0);
  state = "b";
  await changed.promise;
  looked.lookNow();
  expect(told).toBe(1);
  looked[Symbol.dispose]();
  state = "c";
  looked.lookNow();
  expect(told).toBe(2);
});

test("LookedAt waits for an answer that is under way, and looks again if it was asked to meanwhile", async () => {
  const answers = [Promise.withResolvers<string>()];
  let asked = 0;
  let told = 0;
  const look = (): Promise<string> => {
    const answer = (answers[asked] ??= Promise.withResolvers<string>());
    asked += 1;
    return answer.promise;
  };
  const looked = new LookedAt(look, () => (told += 1), 1_000_000);
  looked.lookNow();
  looked.lookNow();
  expect([asked, told]).toEqual([1, 0]);
  answers[0]?.resolve("a");
  await Bun.sleep(0);
  expect([asked, told]).toEqual([2, 0]);
  answers[1]?.resolve("b");
  await Bun.sleep(0);
  expect([asked, told]).toEqual([2, 1]);
  looked.lookNow();
  looked[Symbol.dispose]();
  answers[2]?.resolve("c");
  await Bun.sleep(0);
  expect([asked, told]).toEqual([3, 1]);
});
