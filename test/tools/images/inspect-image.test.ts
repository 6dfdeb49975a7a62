import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { AppError } from "../../../src/base/errors.ts";
import { inspectImage } from "../../../src/tools/images/inspect-image.ts";
import {
  fields,
  iconBitmap,
  sampleAvif,
  sampleBmp,
  sampleGif,
  sampleIcon,
  samplePng,
  sampleSvg,
  sampleTiff,
  withOrientation,
} from "./sample-images.ts";
import { shareOf } from "../../fixtures/long-run.ts";

const jpeg = await new Bun.Image(samplePng(60, 40)).jpeg().bytes();
const webp = await new Bun.Image(samplePng(60, 40)).webp({ quality: 80 }).bytes();
const losslessWebp = await new Bun.Image(samplePng(60, 40)).webp({ lossless: true }).bytes();
const icon = sampleIcon([
  { edge: 16, bytes: iconBitmap(fields(16, 16)) },
  { edge: 256, bytes: samplePng(256, 256) },
]);
const text = (content: string): Uint8Array => new TextEncoder().encode(content);

const samples: readonly (readonly [string, Uint8Array, object])[] = [
  ["png", samplePng(), { width: 6, height: 4 }],
  ["jpeg", jpeg, { width: 60, height: 40 }],
  ["jpeg", withOrientation(jpeg, 6), { width: 60, height: 40, orientation: 6 }],
  ["webp", webp, { width: 60, height: 40 }],
  ["webp", losslessWebp, { width: 60, height: 40 }],
  ["gif", sampleGif(20, 10), { width: 20, height: 10 }],
  ["gif", sampleGif(20, 10, 3), { width: 20, height: 10, isAnimated: true }],
  ["bmp", sampleBmp(fields(6, 4)), { width: 6, height: 4 }],
  ["ico", icon, { width: 256, height: 256 }],
  ["tiff", await sampleTiff(), { width: 16, height: 8 }],
  ["avif", await sampleAvif(), { width: 64, height: 32 }],
  ["svg", text(sampleSvg), { width: 40, height: 20 }],
  ["svg", text('<?xml version="1.0"?><!-- a --><svg viewBox="0 0 7,9"/>'), { width: 7, height: 9 }],
];

describe("inspectImage()", () => {
  test.each(samples)("reads the header of %s", (format, bytes, header) => {
    const usual = { isAnimated: false, orientation: 1, isComplete: true };
    const expected = { format, header: { ...usual, ...header } };
    expect(inspectImage("x", bytes)).toEqual(expected as ReturnType<typeof inspectImage>);
  });

  test.each(samples.filter(([format]) => format !== "tiff"))(
    "says that %s is truncated when its last byte is missing",
    (_format, bytes) => {
      const cut = bytes.subarray(0, bytes.length - 1);
      expect(() => inspectImage("/x", cut)).toThrow("truncated or damaged");
    },
  );

  test.each([
    ["PNG", without(samplePng(), "IDAT")],
    [
      "JPEG",
      Buffer.from("ffd8ffc000110800100010030122000211010311 01ffd9".replace(" ", ""), "hex"),
    ],
    ["GIF", Buffer.from("4749463839610a000a000000003b", "hex")],
    ["WebP", riff("VP8X", Buffer.from("00000000090000090000", "hex"))],
    ["WebP", riff("VP8 ", Buffer.alloc(20), 60)],
  ])("says that a %s is damaged that has no picture in it", (_format, bytes) => {
    expect(() => inspectImage("/x", bytes)).toThrow("truncated or damaged");
  });

  test("a GIF is as large as its largest frame", () => {
    const gif = Buffer.from(sampleGif(20, 10));
    const frame = gif.indexOf(0x2c, 13);
    gif.writeUInt16LE(60_000, frame + 5);
    gif.writeUInt16LE(60_000, frame + 7);
    expect(() => inspectImage("/x", gif)).toThrow("60000 × 60000 pixels");
  });

  test.each([
    ["<!DOCTYPE html><html><svg></svg></html>", "an HTML page"],
    ["root:x:0:0:root:/root:/bin/bash\n", "text"],
    ['{"a": 1}', "text, probably JSON"],
    ["%PDF-1.7\n", "a PDF document"],
    ["PK\x03\x04zip", "a ZIP archive or an Office document"],
    ["\0\x01\x02\x03\x05\x06\x07\b", "binary data of an unknown kind"],
  ])("says what %j is instead of an image", (content, kind) => {
    const bytes = Buffer.from(content, "latin1");
    expect(() => inspectImage("/x.png", bytes)).toThrow(`its content is ${kind}.`);
  });

  test.each([
    [10_000, 10_000, true],
    [10_001, 10_000, false],
    [30_000, 30_000, false],
  ])("a header of %i × %i is accepted: %p", (width, height, isAccepted) => {
    const png = Buffer.from(samplePng());
    png.writeUInt32BE(width, 16);
    png.writeUInt32BE(height, 20);
    const inspect = (): unknown => inspectImage("/x", png);
    if (isAccepted) expect(inspect).not.toThrow();
    else expect(inspect).toThrow("the limit is 100 megapixels");
  });

  test("any damage gives a header or an AppError", () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.constantFrom(...samples), damage, fc.nat(), (sample, changes, cut) => {
        const bytes = Uint8Array.from(sample[1]);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        try {
          inspectImage(
            "/x",
            bytes.subarray(0, bytes.length - (cut % 3 === 0 ? cut % bytes.length : 0)),
          );
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
      { numRuns: shareOf(3_000) },
    );
  });
});

/** A PNG without one of its chunks. */
function without(png: Uint8Array, name: string): Uint8Array {
  const bytes = Buffer.from(png);
  const at = bytes.indexOf(name) - 4;
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + bytes.readUInt32BE(at) + 12)]);
}

/** A WebP of one chunk, which may lie about its length. */
function riff(name: string, data: Uint8Array, length = data.length): Uint8Array {
  const head = Buffer.from(`RIFF....WEBP${name}....`);
  head.writeUInt32LE(data.length + 12, 4);
  head.writeUInt32LE(length, 16);
  return Buffer.concat([head, data]);
}
