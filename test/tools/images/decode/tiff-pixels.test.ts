import { describe, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import fc from "fast-check";

import { readTiff } from "../../../../src/tools/images/decode/readable-source.ts";
import { greyTiff, printTiff } from "../unusual-images.ts";
import { samplePng, sampleTiff } from "../sample-images.ts";

const ramp = Uint8Array.from({ length: 256 }, (_, value) => value);
const zeros = (bytes: number): Uint8Array => deflateSync(Buffer.alloc(bytes));
const deflated = { tag: 259, value: 8 };
const tiles = [
  { tag: 322, value: 16 },
  { tag: 323, value: 16 },
];

/** 256 zeros: a zero, then each new code once. */
const lzw = codesOf([256, 0, 258, 259, 260, 261, 262, 263, 264, 265, 266, 267, 268, 269, 270, 271]);
/** A code of the table that leads to itself, for who does not look. */
const circle = codesOf([256, 300, 300, 258, 259, 300, 299]);

/** Codes of nine bits each. */
function codesOf(codes: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(Math.ceil((codes.length * 9) / 8) + 2);
  for (const [index, code] of codes.entries()) {
    for (let bit = 0; bit < 9; bit++) {
      const at = index * 9 + bit;
      bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (((code >> (8 - bit)) & 1) << (7 - (at & 7)));
    }
  }
  return bytes;
}

/** The first channel of each pixel. */
async function greys(tiff: Uint8Array): Promise<Uint8Array> {
  const { pixels } = await readTiff(tiff);
  return pixels.filter((_, at) => at % 4 === 0);
}

// The page of each is followed by itself: whoever reads on never ends.
describe("readTiff()", () => {
  test.each([
    ["a strip", greyTiff(ramp)],
    ["a compressed strip", greyTiff(deflateSync(ramp), [deflated])],
    ["a tile", greyTiff(ramp, [...tiles, { tag: 324, value: 8 }, { tag: 325, value: 256 }])],
    ["a tile where strips stand", greyTiff(deflateSync(ramp), [...tiles, deflated])],
    [
      "a remark of four billion numbers",
      greyTiff(ramp, [{ tag: 305, isLong: true, count: 2 ** 32 - 1, value: 8 }]),
    ],
    [
      "a strip that reaches beyond the end",
      greyTiff(ramp, [{ tag: 279, isLong: true, value: 2 ** 32 - 1 }]),
    ],
  ])("reads %s", async (_what, tiff) => {
    expect(await greys(tiff)).toEqual(ramp);
  });

  test.each([
    ["LZW", lzw],
    ["LZW with codes that do not exist", circle],
  ])("reads a strip of %s", async (_what, strip) => {
    expect(await greys(greyTiff(strip, [{ tag: 259, value: 5 }]))).toEqual(new Uint8Array(256));
  });

  test("a strip that unfolds to more than it may is missing", async () => {
    expect(await greys(greyTiff(zeros(50_000_000), [deflated]))).toEqual(new Uint8Array(256));
  });

  test.each([
    ["no strip", [{ tag: 273, isLong: true, count: 0, value: 8 }], "are missing"],
    ["a compression of cameras", [{ tag: 259, value: 34_713 }], "34713 is unknown"],
    [
      "tiles of nothing",
      [
        { tag: 322, value: 0 },
        { tag: 323, value: 0 },
      ],
      "an invalid size",
    ],
    [
      "tiles of 4 gigapixels",
      [
        { tag: 322, value: 65_535 },
        { tag: 323, value: 65_535 },
      ],
      "an invalid size",
    ],
    [
      "64 channels of 4 gigapixels",
      [
        { tag: 256, value: 65_535 },
        { tag: 257, value: 65_535 },
      ],
      "its size is invalid",
    ],
    [
      "a thousand channels",
      [
        { tag: 256, value: 9_999 },
        { tag: 257, value: 9_999 },
        { tag: 277, value: 999 },
      ],
      "memory",
    ],
    [
      "samples of a hundred thousand times the file's size",
      [
        { tag: 256, value: 9_999 },
        { tag: 277, value: 4_999 },
      ],
      "most of its samples are missing",
    ],
    ["a PNG for a JPEG", [{ tag: 259, value: 7 }], "one of its strips or tiles is damaged"],
  ])("refuses %s", async (_what, entries, message) => {
    const error: unknown = await readTiff(greyTiff(samplePng(), entries)).catch((reason) => reason);
    expect(String(error)).toContain(message);
  });

  test("whatever is damaged, it ends, and with the picture or an Error", async () => {
    const wholes = [
      await sampleTiff(),
      printTiff(),
      greyTiff(deflateSync(ramp), [deflated]),
      greyTiff(ramp, [{ tag: 259, value: 5 }]),
      greyTiff(lzw, [{ tag: 259, value: 5 }]),
      greyTiff(ramp, [...tiles, { tag: 324, value: 8 }, { tag: 325, value: 256 }]),
    ];
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...wholes), damage, async (whole, changes) => {
        const bytes = Uint8Array.from(whole);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        const end: unknown = await readTiff(bytes).catch((reason: unknown) => reason);
        const isImage = typeof end === "object" && end !== null && "pixels" in end;
        if (!isImage)
          expect(typeof end === "number" || end instanceof Error || typeof end === "string").toBe(
            true,
          );
      }),
      { numRuns: 150 },
    );
  });
});
