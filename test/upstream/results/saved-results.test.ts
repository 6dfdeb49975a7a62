import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { FolderSweeps } from "../../../src/base/disk-space.ts";
import { type SavedResult, SavedResults } from "../../../src/upstream/results/saved-results.ts";
import { eventually } from "../../e2e/harness/conditions.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scorpiox-results-"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Nobody waits for the others to go. */
async function onlyOneIsThere(saved: SavedResult | undefined): Promise<void> {
  await eventually("the others are gone", () => readdirSync(root).length === 1);
  expect(readdirSync(root)).toEqual([saved?.name ?? ""]);
}

const dayMs = 24 * 3_600_000;

test("[GW-30] CA14: results older than a day go, and the oldest when all are too large, with no other tool in use", async () => {
  const results = new SavedResults([root], new FolderSweeps(100)).of("ann");
  writeFileSync(join(root, "yesterday"), "x");
  utimesSync(join(root, "yesterday"), new Date(0), new Date(Date.now() - dayMs - 1_000));
  const first = await results.save("a".repeat(60));
  await onlyOneIsThere(first);
  const before = new Date(Date.now() - 5_000);
  utimesSync(first?.path ?? "", before, before);
  const second = await results.save(new Uint8Array(60));
  await onlyOneIsThere(second);
});
