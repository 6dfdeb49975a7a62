import { expect, test } from "bun:test";
import { tmpdir } from "node:os";

import { diskReserveOf, diskSpaceOf, hasDiskFor } from "../../src/base/disk-space.ts";

test.each<[total: number, kept: number]>([
  [1e12, 1_000],
  [20_000, 1_000],
  [19_999, 999],
  [0, 0],
])("of a disk of %d bytes %d are kept", (total, kept) => {
  expect(diskReserveOf({ total, free: total }, 1_000)).toBe(kept);
});

test("a real folder tells; one that is not there does not, and may be tried", () => {
  const space = diskSpaceOf(tmpdir());
  expect((space?.total ?? 0) >= (space?.free ?? Infinity)).toBe(true);
  expect([hasDiskFor(tmpdir(), 1), hasDiskFor(tmpdir(), space?.free ?? 0)]).toEqual([true, false]);
  expect([diskSpaceOf("/none/such"), hasDiskFor("/none/such", 1e18)]).toEqual([undefined, true]);
});
