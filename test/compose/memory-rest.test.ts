import { expect, test } from "bun:test";

import { MemoryRest } from "../../src/compose/memory-rest.ts";
import { until } from "../commands/process/until.ts";

/** A rest that notes its collections; the answers of both questions can be set. */
function createRest() {
  const state = { isBusy: false, isOver: false, collected: 0, asked: 0 };
  const rest = new MemoryRest({
    isBusy: () => state.isBusy,
    isOver: () => {
      state.asked += 1;
      return state.isOver;
    },
    collect: () => (state.collected += 1),
    restMs: 1,
  });
  return { rest, state };
}

test("MemoryRest collects once", async () => {
  const { rest, state } = createRest();
  rest.begin();
  rest.begin();
  await until(() => state.collected > 0);
  const another = createRest();
  another.rest.begin();
  await until(() => another.state.collected > 0);
  expect(state).toMatchObject({ collected: 1, asked: 1 });
});

test("MemoryRest waits for the end of running calls", async () => {
  const { rest, state } = createRest();
  state.isBusy = true;
  rest.begin();
  await until(() => state.asked > 3);
  expect(state.collected).toBe(0);
  state.isBusy = false;
  await until(() => state.collected === 1);
});

test("MemoryRest collects nothing once a Worker runs again", async () => {
  const { rest, state } = createRest();
  state.isOver = true;
  rest.begin();
  await until(() => state.asked === 1);
  state.isOver = false;
  const another = createRest();
  another.rest.begin();
  await until(() => another.state.collected > 0);
  expect(state).toMatchObject({ collected: 0, asked: 1 });
});
