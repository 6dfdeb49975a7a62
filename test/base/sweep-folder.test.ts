import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { FolderSweeps, sweepFolder } from "../../src/base/disk-space.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scorpiox-sweep-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const now = Date.now();
const hourMs = 3_600_000;

function make(name: string, ageMs: number, bytes: number): void {
  const path = join(root, name);
  writeFileSync(path, "");
  truncateSync(path, bytes);
  utimesSync(path, new Date(now - ageMs), new Date(now - ageMs));
}

describe("sweepFolder()", () => {
  test("removes what is older than 24 h, to the millisecond", async () => {
    make("young", 24 * hourMs - 1_000, 1);
    make("border", 24 * hourMs, 1);
    make("old", 24 * hourMs + 1_000, 1);
    await sweepFolder(root, now);
    expect(readdirSync(root).sort()).toEqual(["border", "young"]);
  });

  test.each([
    [29, ["newest"]],
    [30, ["middle", "newest"]],
    [60, ["middle", "newest", "oldest"]],
  ])("keeps the newest within %d bytes", async (bytesMax, kept) => {
    make("oldest", 3 * hourMs, 30);
    make("middle", 2 * hourMs, 20);
    make("newest", hourMs, 10);
    await sweepFolder(root, now, bytesMax);
    expect(readdirSync(root).sort()).toEqual(kept);
  });

  test("leaves folders alone", async () => {
    mkdirSync(join(root, "folder"));
    await sweepFolder(root, now, 0);
    expect(readdirSync(root)).toEqual(["folder"]);
  });
});

describe("FolderSweeps", () => {
  test("looks at first, then when a quarter of what may be there was saved", async () => {
    const sweeps = new FolderSweeps(400);
    make("old", 25 * hourMs, 1);
    await sweeps.onSaved(root, 0);
    expect(readdirSync(root)).toEqual([]);
    make("large", hourMs, 401);
    await sweeps.onSaved(root, 99);
    expect(readdirSync(root)).toEqual(["large"]);
    await sweeps.onSaved(root, 1);
    expect(readdirSync(root)).toEqual([]);
  });

  test("a folder that is gone is no problem", async () => {
    await new FolderSweeps().onSaved(join(root, "none"), 1);
    expect(readdirSync(root)).toEqual([]);
  });
});
