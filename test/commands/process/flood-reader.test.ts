import { describe, expect, spyOn, test } from "bun:test";
import { closeSync } from "node:fs";

import { FloodReader, FloodMeter } from "../../../src/commands/process/flood-reader.ts";
import { type Libc, loadLibc } from "../../../src/commands/process/libc.ts";

const libc = loadLibc() as Libc;
const kib = 1024;

describe("FloodMeter", () => {
  const rows: [string, [at: number, bytes: number][], boolean[]][] = [
    ["256 KiB at once", [[0, 256 * kib]], [true]],
    [
      "within ten milliseconds",
      [
        [0, 200 * kib],
        [9, 55 * kib],
        [10, kib],
      ],
      [false, false, true],
    ],
    [
      "not in more time, however long that goes on",
      [
        [0, 200 * kib],
        [11, 200 * kib],
        [22, 200 * kib],
      ],
      [false, false, false],
    ],
  ];
  test.each(rows)("%s", (_name, pieces, expected) => {
    const clock = spyOn(performance, "now");
    try {
      const meter = new FloodMeter();
      const seen = pieces.map(([at, bytes]) => {
        clock.mockReturnValue(1_000 + at);
        return meter.add(bytes);
      });
      expect(seen).toEqual(expected);
    } finally {
      clock.mockRestore();
    }
  });
});

describe.skipIf(process.platform !== "linux")("FloodReader", () => {
  test("the pipe takes a megabyte that nobody reads yet", async () => {
    const [readFd, writeFd] = libc.createPipe();
    using _flood = new FloodReader(readFd);
    const writer = Bun.spawn(["head", "-c", "1000000", "/dev/zero"], {
      stdio: ["ignore", writeFd, "ignore"],
    });
    expect(await writer.exited).toBe(0);
    closeSync(writeFd);
    closeSync(readFd);
  });

  test("eight pipes are wide at the same time", () => {
    const pipes = Array.from({ length: 9 }, () => libc.createPipe());
    const floods = pipes.map(([readFd]) => new FloodReader(readFd));
    const wide = floods.map((flood) => flood.isWorthPause(0));
    for (const flood of floods) flood[Symbol.dispose]();
    const [readFd] = pipes[0]!;
    using later = new FloodReader(readFd);
    expect([wide, later.isWorthPause(0)]).toEqual([
      [...Array.from({ length: 8 }, () => true), false],
      true,
    ]);
    for (const fd of pipes.flat()) closeSync(fd);
  });

  test("a pause ends with the writer, and there is none afterwards", async () => {
    const [readFd, writeFd] = libc.createPipe();
    using flood = new FloodReader(readFd);
    const timers = spyOn(globalThis, "setTimeout");
    try {
      const pause = flood.pause();
      flood.end();
      await pause;
      await flood.pause();
      expect(timers).toHaveBeenCalledTimes(1);
    } finally {
      timers.mockRestore();
      closeSync(writeFd);
      closeSync(readFd);
    }
  });
});
