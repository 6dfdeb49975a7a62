import { describe, expect, test } from "bun:test";

import { readBmp } from "../../../../src/tools/images/decode/dib-pixels.ts";
import { readBmpHeader } from "../../../../src/tools/images/headers/dib-header.ts";
import { fields, sampleBmp } from "../sample-images.ts";

interface Parts {
  readonly height?: number;
  readonly bits: number;
  readonly compression?: number;
  /** Of a header of 40 bytes if not said. */
  readonly headerBytes?: number;
  /** Masks or colours. */
  readonly table?: readonly number[];
  readonly body: readonly number[];
}

/** A BMP three pixels wide. */
function bmp({
  height = 2,
  bits,
  compression = 0,
  headerBytes = 40,
  table = [],
  body,
}: Parts): DataView {
  const file = Buffer.alloc(14 + headerBytes + table.length + body.length);
  file.write("BM", 0, "latin1");
  file.writeUInt32LE(14 + headerBytes + table.length, 10);
  file.writeUInt32LE(headerBytes, 14);
  if (headerBytes === 12) {
    file.writeUInt16LE(3, 18);
    file.writeUInt16LE(height, 20);
    file.writeUInt16LE(bits, 24);
  } else {
    file.writeInt32LE(3, 18);
    file.writeInt32LE(height, 22);
    file.writeUInt16LE(bits, 28);
    file.writeUInt32LE(compression, 30);
    // Colours, of which there may be fewer than the bits can name.
    if (bits <= 8) file.writeUInt32LE(table.length / 4, 46);
  }
  file.set(table, 14 + headerBytes);
  file.set(body, 14 + headerBytes + table.length);
  return new DataView(file.buffer, file.byteOffset, file.byteLength);
}

const red = [255, 0, 0, 255];
const blue = [0, 0, 255, 255];
const black = [0, 0, 0, 255];
/** As bitmaps have it: blue, green, red. */
const redAndBlue = [0, 0, 255, 0, 255, 0, 0, 0];
const picture = [red, red, blue, blue, blue, blue];

describe("readBmp()", () => {
  test.each<[string, Parts]>([
    ["a bit", { bits: 1, table: redAndBlue, body: [0xe0, 0, 0, 0, 0x20, 0, 0, 0] }],
    ["four bits", { bits: 4, table: redAndBlue, body: [0x11, 0x10, 0, 0, 0x00, 0x10, 0, 0] }],
    ["a byte", { bits: 8, table: redAndBlue, body: [1, 1, 1, 0, 0, 0, 1, 0] }],
    [
      "a byte, from the top",
      { height: -2, bits: 8, table: redAndBlue, body: [0, 0, 1, 0, 1, 1, 1, 0] },
    ],
    [
      "a bit of OS/2",
      {
        headerBytes: 12,
        bits: 1,
        table: [0, 0, 255, 255, 0, 0],
        body: [0xe0, 0, 0, 0, 0x20, 0, 0, 0],
      },
    ],
    [
      "16 bits",
      { bits: 16, body: [0x1f, 0, 0x1f, 0, 0x1f, 0, 0, 0, 0, 0x7c, 0, 0x7c, 0x1f, 0, 0, 0] },
    ],
    [
      "16 bits, six of them green",
      {
        bits: 16,
        compression: 3,
        table: [0, 0xf8, 0, 0, 0xe0, 0x07, 0, 0, 0x1f, 0, 0, 0],
        body: [0x1f, 0, 0x1f, 0, 0x1f, 0, 0, 0, 0, 0xf8, 0, 0xf8, 0x1f, 0, 0, 0],
      },
    ],
    [
      "runs of bytes",
      { bits: 8, compression: 1, table: redAndBlue, body: [3, 1, 0, 0, 0, 3, 0, 0, 1, 0, 0, 1] },
    ],
    [
      "runs of half bytes",
      { bits: 4, compression: 2, table: redAndBlue, body: [3, 0x11, 0, 0, 0, 3, 0x00, 0x10, 0, 1] },
    ],
    [
      "runs without an end",
      { bits: 8, compression: 1, table: redAndBlue, body: [3, 1, 0, 0, 2, 0, 1, 1, 0] },
    ],
  ])("reads pixels of %s", (_what, parts) => {
    const bytes = bmp(parts);
    expect(readBmpHeader(bytes)).toMatchObject({ width: 3, height: 2, isComplete: true });
    expect(readBmp(bytes)).toEqual({
      width: 3,
      height: 2,
      pixels: Uint8Array.from(picture.flat()),
    });
  });

  test("reads pixels of three bytes", () => {
    const bytes = sampleBmp(fields(7, 5));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    expect(readBmp(view)).toEqual(fields(7, 5));
  });

  test("what a jump leaves out has the first colour, what has no colour is black", () => {
    const body = [0, 2, 2, 0, 1, 1, 0, 0, 1, 9, 0, 1];
    const { pixels } = readBmp(bmp({ bits: 8, compression: 1, table: redAndBlue, body }));
    expect([...pixels]).toEqual([black, red, red, red, red, blue].flat());
  });

  test("runs beyond the picture are dropped", () => {
    const body = [255, 1, 255, 1, 0, 0, 255, 1, 0, 0, 255, 1, 0, 2, 200, 200, 9, 1];
    const { pixels } = readBmp(bmp({ bits: 8, compression: 1, table: redAndBlue, body }));
    expect([...pixels]).toEqual(Array.from({ length: 6 }, () => blue).flat());
  });

  test.each<[string, Parts, string]>([
    ["rows that are not whole", { bits: 8, table: redAndBlue, body: [1, 1, 1] }, "is incomplete"],
    ["a JPEG in it", { bits: 24, compression: 4, body: [1, 2, 3] }, "do not support"],
    ["seven bits", { bits: 7, table: redAndBlue, body: [1, 1, 1, 0, 0, 0, 1, 0] }, "7 bits"],
  ])("refuses %s", (_what, parts, message) => {
    expect(() => readBmp(bmp(parts))).toThrow(message);
  });
});
