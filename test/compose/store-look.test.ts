import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { StoreLook } from "../../src/compose/store-look.ts";
import { until } from "../commands/process/until.ts";
import { TempTree } from "../config/temp-tree.ts";

/** What one look says. */
async function lookAt(path: string): Promise<boolean> {
  const results: boolean[] = [];
  const { look } = new StoreLook(path, (isWell) => results.push(isWell));
  look();
  // The second one is too soon.
  look();
  await until(() => results.length > 0);
  expect(results).toHaveLength(1);
  return results[0] === true;
}

test("a store is well where its file can be written, and before it is made", async () => {
  using tree = new TempTree({ "a/store.db": "x" });
  expect(await lookAt(tree.path("a/store.db"))).toBe(true);
  expect(await lookAt(tree.path("a/other.db"))).toBe(true);
  expect(await lookAt(tree.path("none/store.db"))).toBe(true);
  expect(readdirSync(tree.path("a"))).toEqual(["store.db"]);
});

test("it is not where nothing can be written beside it", async () => {
  using tree = new TempTree({ "a/x": "x" });
  const path = tree.path("a/x/store.db");
  // A file in the place of its folder, which root cannot write into either.
  expect(await lookAt(path)).toBe(false);
  rmSync(tree.path("a/x"));
  mkdirSync(tree.path("a/x"));
  writeFileSync(join(tree.path("a/x"), "store.db"), "");
  expect(await lookAt(path)).toBe(true);
});
