import { expect, test } from "bun:test";

import { ServerState } from "../../src/compose/server-state.ts";
import type { StartUp } from "../../src/cli/start-up.ts";
import { ownValue } from "../../src/base/values.ts";
import { until } from "../commands/process/until.ts";
import { TempTree } from "../config/temp-tree.ts";

test("ServerState: what parts report decides the word, and losses of Workers are counted", async () => {
  using tree = new TempTree();
  const start = ownValue<StartUp>({ dirs: { scorpioxDir: tree.path("home") } });
  const { readiness, workersLost, onWorker, lookAtParts, ...rest } = new ServerState(start);
  expect(rest).toEqual({});
  const words = [readiness.word];
  for (const [worker, isUp] of [
    ["tools", false],
    ["upstream", false],
    ["upstream", true],
  ] as const) {
    onWorker(worker, isUp);
    words.push(readiness.word);
  }
  expect([words, [...workersLost]]).toEqual([
    ["ready", "ready", "degraded", "ready"],
    [
      ["tools", 1],
      ["upstream", 1],
    ],
  ]);
  lookAtParts();
  await until(() => readiness.parts["store"] !== undefined);
  expect(readiness.parts).toEqual({ "MCP servers": true, store: true });
});

test("ServerState.watch: a part is looked up when somebody asks", () => {
  using tree = new TempTree();
  const state = new ServerState(ownValue<StartUp>({ dirs: { scorpioxDir: tree.path("home") } }));
  let isWell = true;
  state.watch("engine", () => isWell);
  const words: string[] = [];
  for (const next of [true, false, true]) {
    isWell = next;
    state.lookAtParts();
    words.push(state.readiness.word);
  }
  expect(words).toEqual(["ready", "degraded", "ready"]);
});
