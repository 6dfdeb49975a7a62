import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SavingRoom } from "../../../src/commands/background/saving-room.ts";
import type { DiskSpace } from "../../../src/base/disk-space.ts";

const lacking = "the disk is nearly full, and";

describe("SavingRoom", () => {
  test.each<[what: string, space: DiskSpace | undefined, fits: number, why: string]>([
    ["a large disk keeps the whole reserve", { total: 1e9, free: 1_300 }, 300, "1,000 bytes"],
    ["a small one a twentieth", { total: 10_000, free: 600 }, 100, "500 bytes"],
    ["no more is free than is kept", { total: 1e9, free: 1_000 }, 0, "1,000 bytes"],
  ])("%s", (_what, space, fits, kept) => {
    const bounds = { bytesMax: 1e9, reserveBytes: 1_000 };
    const problem = `${lacking} ${kept} of it must stay free`;
    expect(new SavingRoom("/", bounds, () => space).take(fits)).toBeUndefined();
    expect(new SavingRoom("/", bounds, () => space).take(fits + 1)).toBe(problem);
  });

  test("what was granted is counted until it is on the disk, where others write too", () => {
    let free = 1_100;
    const bounds = { bytesMax: 1e9, reserveBytes: 1_000 };
    const room = new SavingRoom("/", bounds, () => ({ total: 1e9, free }));
    const problem = `${lacking} 1,000 bytes of it must stay free`;
    expect([room.take(60), room.take(41)]).toEqual([undefined, problem]);
    room.settle(60);
    free -= 60;
    expect([room.take(41), room.take(40)]).toEqual([problem, undefined]);
    room.settle(40);
    // Somebody has removed what was written, and more.
    free = 1_200;
    expect([room.take(201), room.take(200)]).toEqual([problem, undefined]);
  });

  test("a disk that does not tell is written to, and says itself when it is full", () => {
    const room = new SavingRoom("/", { bytesMax: 10, reserveBytes: 1_000 }, () => undefined);
    expect(room.take(10)).toBeUndefined();
    expect(room.take(1)).toBe("the outputs being saved share a limit of 10 bytes");
  });

  test("the disk of a folder is looked at; one that is gone does not tell", () => {
    const folder = mkdtempSync(join(tmpdir(), "scorpiox-room-"));
    const bounds = { bytesMax: 1e18, reserveBytes: 1_000 };
    expect(new SavingRoom(folder, bounds).take(1e17)).toStartWith(lacking);
    rmSync(folder, { recursive: true });
    expect(new SavingRoom(folder, bounds).take(1e17)).toBeUndefined();
  });
});
