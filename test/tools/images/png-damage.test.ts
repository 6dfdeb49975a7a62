import { describe, expect, test } from "bun:test";
import { crc32, deflateSync } from "node:zlib";

import { pngDamage } from "../../../src/tools/images/inspect-image.ts";
import { samplePng } from "./sample-images.ts";

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A PNG whose pixels are `rows`, compressed. */
function png(colour: number, depth: number, rows: Uint8Array, interlace = 0): Uint8Array {
  const header = Buffer.from([0, 0, 0, 5, 0, 0, 0, 3, depth, colour, 0, 0, interlace]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("tEXt", Buffer.from("a\0b")),
    chunk("IDAT", rows.subarray(0, 3)),
    chunk("IDAT", rows.subarray(3)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const zeros = (bytes: number): Uint8Array => deflateSync(Buffer.alloc(bytes));

describe("pngDamage()", () => {
  test.each([
    ["true colour", samplePng()],
    ["5 × 3 pixels of three bytes", png(2, 8, zeros(48))],
    ["of one bit", png(0, 1, zeros(6))],
    ["of eight bytes", png(6, 16, zeros(123))],
    ["of a byte in seven passes", png(0, 8, zeros(15 + 9), 1)],
    ["a little behind the last row", png(2, 8, zeros(60))],
  ])("finds none in %s", (_what, bytes) => {
    expect(pngDamage(bytes)).toBeUndefined();
  });

  test.each([
    [
      "a byte of the pixels changed",
      damaged(png(2, 8, zeros(48)), "IDAT"),
      "checksum of its IDAT chunk",
    ],
    [
      "a byte of the size changed",
      damaged(png(2, 8, zeros(48)), "IHDR"),
      "checksum of its IHDR chunk",
    ],
    ["no compressed data", png(2, 8, Buffer.from("hello world")), "cannot be decompressed"],
    ["a row too few", png(2, 8, zeros(47)), "fewer pixels"],
    ["a hundred megabytes", png(2, 8, zeros(100_000_000)), "cannot be decompressed"],
    ["a colour type of five", png(5, 8, zeros(48)), "an invalid colour type"],
  ])("finds it: %s", (_what, bytes, damage) => {
    expect(pngDamage(bytes)).toContain(damage);
  });

  test("a wrong checksum of a remark is none", () => {
    expect(pngDamage(damaged(png(2, 8, zeros(48)), "tEXt"))).toBeUndefined();
  });
});

function damaged(bytes: Uint8Array, chunkName: string): Uint8Array {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf(chunkName) + 4;
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
