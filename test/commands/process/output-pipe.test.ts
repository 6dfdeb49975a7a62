import { describe, expect, spyOn, test } from "bun:test";
import { closeSync, writeSync } from "node:fs";

import { startCommand } from "../../../src/commands/process/command.ts";
import { type Libc, loadLibc } from "../../../src/commands/process/libc.ts";
import { OutputPipe } from "../../../src/commands/process/output-pipe.ts";
import { plainEnv } from "./collect-output.ts";
import { until } from "./until.ts";

const libc = loadLibc() as Libc;

/** Prints numbers of four bytes in bursts and pauses that are never the same. */
const floodScript = `
  const { writeSync } = require("node:fs");
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let burst = 0, number = 0; burst < 40; burst++) {
    const numbers = Uint32Array.from({ length: 1 + ((burst * 7919) % 23) * 20_000 }, () => number++);
    const bytes = new Uint8Array(numbers.buffer);
    const step = [4_096, 8_192, 65_536, bytes.length][burst % 4];
    for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at, Math.min(step, bytes.length - at));
    Atomics.wait(pause, 0, 0, (burst * 31) % 7);
  }`;
/** How many numbers that are. */
const floodNumbers = Array.from(
  { length: 40 },
  (_, burst) => 1 + ((burst * 7919) % 23) * 20_000,
).reduce((sum, length) => sum + length);

describe("a flood", () => {
  test.each([
    ["a sink that is done at once", undefined],
    ["a sink that takes its time", 1],
  ])("every byte arrives in its place: %s", async (_name, waitMs) => {
    const numbers = new Uint32Array(floodNumbers);
    const bytes = new Uint8Array(numbers.buffer);
    let at = 0;
    const take = (chunk: Uint8Array): void => {
      bytes.set(chunk, at);
      at += chunk.length;
    };
    const command = startCommand({
      argv: [process.execPath, "-e", floodScript],
      cwd: "/",
      env: plainEnv,
      onOutput: (chunk) =>
        waitMs === undefined ? take(chunk) : Bun.sleep(waitMs).then(() => take(chunk)),
    });
    expect(await command.ended).toEqual({ exitCode: 0, signal: null });
    expect(at).toBe(bytes.length);
    expect(numbers.findIndex((number, place) => number !== place)).toBe(-1);
  });

  test.each(["", "sleep 0.02; "])(
    "%sits memory is free as soon as it is delivered",
    async (before) => {
      const buffers = new Set<ArrayBufferLike>();
      const command = startCommand({
        argv: ["/bin/sh", "-c", `${before}head -c 50000000 /dev/zero`],
        cwd: "/",
        env: plainEnv,
        onOutput: (chunk) => void buffers.add(chunk.buffer),
      });
      await command.ended;
      const heldBytes = Array.from(buffers, (buffer) => buffer.byteLength).reduce(
        (sum, bytes) => sum + bytes,
      );
      // The buffer that all pipes share.
      expect(heldBytes).toBeLessThanOrEqual(64 * 1024);
    },
  );
});

test("a flood is read in larger pieces than a pipe usually holds", async () => {
  const bytes = 20_000_000;
  const runs: number[] = [];
  for (let run = 0; run < 5; run++) {
    let pieces = 0;
    const command = startCommand({
      argv: ["/bin/sh", "-c", `sleep 0.02; head -c ${bytes} /dev/zero`],
      cwd: "/",
      env: plainEnv,
      onOutput: () => void (pieces += 1),
    });
    await command.ended;
    runs.push(pieces);
  }
  // A stream that always has more is not left, and is then read in such pieces at least.
  expect(Math.min(...runs)).toBeLessThan(bytes / (64 * 1024));
});

test("finish: at the end of a streamed output the loop is left alone", async () => {
  const [readFd, writeFd] = libc.createPipe();
  let text = "";
  const pipe = new OutputPipe(libc, readFd, (chunk) => void (text += Buffer.from(chunk)));
  pipe.start();
  writeSync(writeFd, "first ");
  await until(() => text === "first ");
  writeSync(writeFd, "last");
  closeSync(writeFd);
  const turn = globalThis.setImmediate;
  const turns = spyOn(globalThis, "setImmediate");
  try {
    await pipe.finish();
    expect(text).toBe("first last");
    const taken = turns.mock.calls.length;
    for (let own = 0; own < 20; own++) await new Promise<void>((resolve) => turn(resolve));
    expect(turns.mock.calls.length - taken).toBeLessThan(3);
  } finally {
    turns.mockRestore();
  }
});
