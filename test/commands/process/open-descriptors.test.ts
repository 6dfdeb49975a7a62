import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { closeSync, openSync, readdirSync } from "node:fs";

import { loadLibc } from "../../../src/commands/process/libc.ts";
import { OpenDescriptors } from "../../../src/commands/process/connections.ts";

/** What `poll` says of descriptors of which those in `open` are open. */
function fake(open: ReadonlySet<number>): { pollNow(polled: Int32Array): boolean; words: number } {
  return {
    words: 0,
    pollNow(polled) {
      this.words += polled.length;
      for (let i = 0; i < polled.length; i += 2) {
        polled[i + 1] = open.has(polled[i]!) ? 0x10 << 16 : 0x20 << 16;
      }
      return true;
    },
  };
}

function first(count: number): number[] {
  return Array.from({ length: count }, (_, fd) => fd);
}

describe("OpenDescriptors", () => {
  test.each([0, 1, 127, 128, 129, 1000, 5000, 9_999, 10_000])(
    "finds %d that were given out from below",
    (count) => {
      expect(new OpenDescriptors(fake(new Set(first(count))), 10_000).list()).toEqual(first(count));
    },
  );

  test("goes down one step at a time when the lower ones are closed first", () => {
    const open = new Set(first(4000));
    const libc = fake(open);
    const descriptors = new OpenDescriptors(libc, 10_000);
    for (let fd = 0; fd < 3900; fd++) open.delete(fd);
    expect(descriptors.list().length).toBe(100);
    open.clear();
    for (let look = 0; look < 10; look++) expect(descriptors.list()).toEqual([]);
    libc.words = 0;
    descriptors.list();
    expect(libc.words).toBe(512);
  });

  test("property: finds all, with holes, as long as none is as wide as half of what was looked at", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(999)), (numbers) => {
        const open = new Set([...numbers, ...first(128), 200, 400, 800]);
        const expected = [...open].sort((a, b) => a - b);
        expect(new OpenDescriptors(fake(open), 1000).list()).toEqual(expected);
      }),
    );
  });

  test("a poll that fails finds none", () => {
    expect(new OpenDescriptors({ pollNow: () => false }, 100).list()).toEqual([]);
  });

  test.skipIf(process.platform !== "linux")("agrees with the kernel's list", () => {
    const libc = loadLibc()!;
    const opened = Array.from({ length: 700 }, () => openSync("/dev/null", "r"));
    const found = new OpenDescriptors(libc, libc.descriptorsMax()).list();
    const listed = new Set(readdirSync("/proc/self/fd").map(Number));
    // The listing has itself, which is closed again by now.
    for (const fd of listed) if (!found.includes(fd)) listed.delete(fd);
    expect([found, opened.every((fd) => listed.has(fd))]).toEqual([
      [...listed].sort((a, b) => a - b),
      true,
    ]);
    for (const fd of opened) closeSync(fd);
  });
});
