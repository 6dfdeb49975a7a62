import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import {
  acceptsConnections,
  isWritable,
  pacedLook,
  PartsHealth,
} from "../../../src/compose/http/parts-health.ts";
import type { StartUp } from "../../../src/cli/start-up.ts";
import { ownValue } from "../../../src/base/values.ts";
import { until } from "../../commands/process/until.ts";
import { TempTree } from "../../config/temp-tree.ts";

test("PartsHealth: what parts report decides the word, and losses of Workers are counted", async () => {
  using tree = new TempTree();
  const start = ownValue<StartUp>({ dirs: { scorpioxDir: tree.path("home") } });
  const { readiness, workersLost, onWorker, lookAtParts, ...rest } = new PartsHealth(start);
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

test("PartsHealth.watch: a part is looked up when somebody asks", () => {
  using tree = new TempTree();
  const state = new PartsHealth(ownValue<StartUp>({ dirs: { scorpioxDir: tree.path("home") } }));
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

test("pacedLook() does not look again too soon", async () => {
  const results: boolean[] = [];
  let looks = 0;
  const isWell = async (): Promise<boolean> => {
    looks += 1;
    return looks === 1;
  };
  const look = pacedLook(60_000, isWell, (well) => results.push(well));
  look();
  look();
  await until(() => results.length > 0);
  look();
  expect([results, looks]).toEqual([[true], 1]);

  const eager = pacedLook(0, isWell, (well) => results.push(well));
  eager();
  await until(() => results.length > 1);
  expect([results, looks]).toEqual([[true, false], 2]);
});

test("acceptsConnections() as long as somebody listens", async () => {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const place = { hostname: "127.0.0.1", port };
  expect(await acceptsConnections(place)).toBe(true);
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  await closed.promise;
  expect(await acceptsConnections(place)).toBe(false);
});

test("isWritable() where the file of a store can be written, and before it is made", async () => {
  using tree = new TempTree({ "a/store.db": "x" });
  expect(await isWritable(tree.path("a/store.db"))).toBe(true);
  expect(await isWritable(tree.path("a/other.db"))).toBe(true);
  expect(await isWritable(tree.path("none/store.db"))).toBe(true);
  expect(readdirSync(tree.path("a"))).toEqual(["store.db"]);
});

test("isWritable() is false where nothing can be written beside it", async () => {
  using tree = new TempTree({ "a/x": "x" });
  const path = tree.path("a/x/store.db");
  // A file in the place of its folder, which root cannot write into either.
  expect(await isWritable(path)).toBe(false);
  rmSync(tree.path("a/x"));
  mkdirSync(tree.path("a/x"));
  writeFileSync(join(tree.path("a/x"), "store.db"), "");
  expect(await isWritable(path)).toBe(true);
});
