import { describe, expect, test } from "bun:test";

import { readBmp } from "../../../../src/tools/images/decode/dib-pixels.ts";
import { readBmpHeader } from "../../../../src/tools/images/headers/dib-header.ts";
import { bmpKinds, bmpOf, type BmpParts, bmpPicture, redAndBlue } from "../bmp-kinds.ts";
import { fields, sampleBmp } from "../sample-images.ts";

const red = [255, 0, 0, 255];
const blue = [0, 0, 255, 255];
const black = [0, 0, 0, 255];

describe("readBmp()", () => {
  test.each(bmpKinds)("reads pixels of %s", (_what, parts) => {
    const bytes = bmpOf(parts);
    expect(readBmpHeader(bytes)).toMatchObject({ width: 3, height: 2, isComplete: true });
    expect(readBmp(bytes)).toEqual(bmpPicture);
  });

  test("reads pixels of three bytes", () => {
    const bytes = sampleBmp(fields(7, 5));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    expect(readBmp(view)).toEqual(fields(7, 5));
  });

  test("what a jump leaves out has the first colour, what has no colour is black", () => {
    const body = [0, 2, 2, 0, 1, 1, 0, 0, 1, 9, 0, 1];
    const { pixels } = readBmp(bmpOf({ bits: 8, compression: 1, table: redAndBlue, body }));
    expect([...pixels]).toEqual([black, red, red, red, red, blue].flat());
  });

  test("runs beyond the picture are dropped", () => {
    const body = [255, 1, 255, 1, 0, 0, 255, 1, 0, 0, 255, 1, 0, 2, 200, 200, 9, 1];
    const { pixels } = readBmp(bmpOf({ bits: 8, compression: 1, table: redAndBlue, body }));
    expect([...pixels]).toEqual(Array.from({ length: 6 }, () => blue).flat());
  });

  test.each<[string, BmpParts, string]>([
    ["rows that are not whole", { bits: 8, table: redAndBlue, body: [1, 1, 1] }, "is incomplete"],
    ["a JPEG in it", { bits: 24, compression: 4, body: [1, 2, 3] }, "do not support"],
    ["seven bits", { bits: 7, table: redAndBlue, body: [1, 1, 1, 0, 0, 0, 1, 0] }, "7 bits"],
  ])("refuses %s", (_what, parts, message) => {
    expect(() => readBmp(bmpOf(parts))).toThrow(message);
  });
});
