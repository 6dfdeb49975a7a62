import { describe, expect, test } from "bun:test";

import { Cancellation } from "../../src/base/cancellation.ts";
import type { CallRequest } from "../../src/calls/call.ts";
import { CallingClients } from "../../src/calls/gate/calling-clients.ts";
import { MemoryRest, restAfterStart } from "../../src/compose/memory-rest.ts";
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

describe("restAfterStart()", () => {
  const call: CallRequest = {
    name: "Echo",
    args: {},
    version: "2025-11-25",
    client: {
      id: "a",
      limits: { answerMs: 0, resultCharsMax: 1 },
      workspaceDir: () => Promise.resolve("/"),
    },
    cancellation: new Cancellation(),
  };

  test.each([
    [true, 1],
    [false, 0],
  ])("after a first call, with MCP servers: %p", async (hasServers, expected) => {
    const running = new CallingClients();
    let collected = 0;
    const collect = (): void => void (collected += 1);
    const rest = restAfterStart({ running, hasServers: () => hasServers, collect, restMs: 1 });
    running.began(call);
    rest.begin();
    const { rest: other, state } = createRest();
    other.begin();
    await until(() => state.collected > 0);
    expect(collected).toBe(0);
    running.ended(call);
    await until(() => collected === expected);
    const later = createRest();
    later.rest.begin();
    await until(() => later.state.collected > 0);
    expect(collected).toBe(expected);
  });
});
