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
