import { expect, test } from "bun:test";

import { StrayWatch } from "../../../src/commands/process/orphanage.ts";
import { until } from "./until.ts";

/** A watch that looks every millisecond, and the state of the machine that it sees. */
function createWatch() {
  const seen = { looks: 0, isAnyLive: true, hasAdopted: false };
  const orphanage = {
    endStrays: () => ++seen.looks,
    hasAdopted: () => seen.hasAdopted,
  };
  const watch = new StrayWatch(orphanage, () => seen.isAnyLive, 1);
  return { watch, seen };
}

/** Waits for looks of a watch that goes on, in which any other one would have looked too. */
async function someLooks(): Promise<void> {
  const { watch, seen } = createWatch();
  using _ = watch;
  watch.begin();
  await until(() => seen.looks > 5);
}

test("StrayWatch looks while a command is live or a child is adopted, and once more", async () => {
  const { watch, seen } = createWatch();
  using _ = watch;
  watch.begin();
  await until(() => seen.looks > 2);
  Object.assign(seen, { isAnyLive: false, hasAdopted: true });
  const before = seen.looks;
  await until(() => seen.looks > before + 2);
  Object.assign(seen, { hasAdopted: false, looks: 0 });
  await someLooks();
  expect(seen.looks).toBe(1);
  watch.begin();
  await until(() => seen.looks === 2);
});

test("StrayWatch goes on after beginLasting()", async () => {
  const { watch, seen } = createWatch();
  using _ = watch;
  seen.isAnyLive = false;
  watch.beginLasting();
  await until(() => seen.looks > 3);
});

test("StrayWatch begins nothing after its end", async () => {
  const { watch, seen } = createWatch();
  watch[Symbol.dispose]();
  watch.begin();
  watch.beginLasting();
  await someLooks();
  expect(seen.looks).toBe(0);
});
