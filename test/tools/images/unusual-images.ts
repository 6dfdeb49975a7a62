import { crc32 } from "node:zlib";

import type { RgbaImage } from "../../../src/tools/images/decode/reduce-pixels.ts";

/** EXIF that says nothing but the orientation. */
function exif(orientation: number): Uint8Array {
  const bytes = Buffer.alloc(26);
  bytes.write("MM\0*\0\0\0\x08\0\x01", 0, "latin1");
  bytes.set([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation], 10);
  return bytes;
}

/** A PNG with EXIF behind its header. */
export function withPngOrientation(png: Uint8Array, orientation: number): Uint8Array {
  const body = Buffer.concat([Buffer.from("eXIf"), exif(orientation)]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length - 4, 0);
  frame.writeUInt32BE(crc32(body), 4);
  const chunk = [frame.subarray(0, 4), body, frame.subarray(4)];
  return Buffer.concat([png.subarray(0, 33), ...chunk, png.subarray(33)]);
}

/** The chunks of a WebP in its simple form, in the extended form with EXIF behind them. */
export function withWebpOrientation(webp: Uint8Array, orientation: number): Uint8Array {
  const [width, height] = losslessSize(webp);
  return extendedWebp(0x08, width, height, [webp.subarray(12), chunk("EXIF", exif(orientation))]);
}

/** An animation of two frames, each of which is the picture of `webp`. */
export function animatedWebp(webp: Uint8Array, width: number, height: number): Uint8Array {
  const head = Buffer.concat([Buffer.alloc(6), sizeOf(width, height), Buffer.from([100, 0, 0, 0])]);
  const frame = chunk("ANMF", Buffer.concat([head, webp.subarray(12)]));
  return extendedWebp(0x02, width, height, [chunk("ANIM", Buffer.alloc(6)), frame, frame]);
}

function extendedWebp(
  flags: number,
  width: number,
  height: number,
  chunks: readonly Uint8Array[],
): Uint8Array {
  const head = chunk("VP8X", Buffer.concat([Buffer.from([flags, 0, 0, 0]), sizeOf(width, height)]));
  return chunk("RIFF", Buffer.concat([Buffer.from("WEBP"), head, ...chunks]));
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const head = Buffer.from(`${name}....`);
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** One less than each, in three bytes. */
function sizeOf(width: number, height: number): Uint8Array {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntLE(width - 1, 0, 3);
  bytes.writeUIntLE(height - 1, 3, 3);
  return bytes;
}

function losslessSize(webp: Uint8Array): [width: number, height: number] {
  const packed = Buffer.from(webp).readUInt32LE(21);
  return [(packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1];
}

interface TiffEntry {
  readonly tag: number;
  readonly isLong?: boolean;
  /** How many values it claims. */
  readonly count?: number;
  readonly value: number;
}

/** A TIFF of one strip, whose page says that it is followed by itself. */
function tiffOf(entries: readonly TiffEntry[], strip: Uint8Array): Uint8Array {
  const stripAt = 8;
  const directoryAt = stripAt + strip.length;
  const usual: readonly TiffEntry[] = [
    { tag: 273, isLong: true, value: stripAt },
    { tag: 279, isLong: true, value: strip.length },
  ];
  const isOwn = ({ tag }: TiffEntry): boolean => entries.some((entry) => entry.tag === tag);
  const all = [...entries, ...usual.filter((entry) => !isOwn(entry))].sort((a, b) => a.tag - b.tag);
  const file = Buffer.alloc(directoryAt + 2 + all.length * 12 + 4);
  file.write("II*\0", 0, "latin1");
  file.writeUInt32LE(directoryAt, 4);
  file.set(strip, stripAt);
  file.writeUInt16LE(all.length, directoryAt);
  for (const [index, { tag, isLong = false, count = 1, value }] of all.entries()) {
    const at = directoryAt + 2 + index * 12;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(isLong ? 4 : 3, at + 2);
    file.writeUInt32LE(count, at + 4);
    file.writeUInt32LE(value, at + 8);
  }
  file.writeUInt32LE(directoryAt, file.length - 4);
  return file;
}

/** A TIFF of one strip with pixels of bytes. @param photometric what the bytes stand for */
function plainTiff(
  { width, height }: { readonly width: number; readonly height: number },
  samples: number,
  photometric: number,
  strip: Uint8Array,
  more: readonly TiffEntry[] = [],
): Uint8Array {
  const entries = [
    { tag: 256, value: width },
    { tag: 257, value: height },
    { tag: 258, value: 8 },
    { tag: 259, value: 1 },
    { tag: 262, value: photometric },
    { tag: 277, value: samples },
    { tag: 278, value: height },
  ];
  const isOther = ({ tag }: TiffEntry): boolean => more.every((entry) => entry.tag !== tag);
  return tiffOf([...entries.filter(isOther), ...more], strip);
}

/** A TIFF of 16 × 16 grey pixels, or of what `more` makes of it. */
export function greyTiff(strip: Uint8Array, more: readonly TiffEntry[] = []): Uint8Array {
  return plainTiff({ width: 16, height: 16 }, 1, 1, strip, more);
}

/** A cyan and a magenta pixel, in four inks. */
export function printTiff(): Uint8Array {
  const inks = Buffer.from([255, 0, 0, 0, 0, 255, 0, 0]);
  return plainTiff({ width: 2, height: 1 }, 4, 5, inks);
}

/** The picture as a TIFF of four bytes a pixel that says how it lies. */
export function tiffWithOrientation(image: RgbaImage, orientation: number): Uint8Array {
  return plainTiff(image, 4, 2, image.pixels, [
    { tag: 274, value: orientation },
    { tag: 338, value: 2 },
  ]);
}

/** What a picture that lies as `orientation` says looks like when it stands. */
export function upright(image: RgbaImage, orientation: number): RgbaImage {
  const isTurned = orientation >= 5;
  const [width, height] = isTurned ? [image.height, image.width] : [image.width, image.height];
  const pixels = new Uint8Array(image.pixels.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [fromX, fromY] = storedAt(orientation, x, y, image);
      const from = (fromY * image.width + fromX) * 4;
      pixels.set(image.pixels.subarray(from, from + 4), (y * width + x) * 4);
    }
  }
  return { width, height, pixels };
}

/** Where the pixel at a place is stored (TIFF 6.0, tag 274). */
function storedAt(
  orientation: number,
  x: number,
  y: number,
  { width, height }: RgbaImage,
): readonly [number, number] {
  const [right, bottom] = [width - 1, height - 1];
  switch (orientation) {
    case 2:
      return [right - x, y];
    case 3:
      return [right - x, bottom - y];
    case 4:
      return [x, bottom - y];
    case 5:
      return [y, x];
    case 6:
      return [y, bottom - x];
    case 7:
      return [right - y, bottom - x];
    case 8:
      return [right - y, x];
    default:
      return [x, y];
  }
}
