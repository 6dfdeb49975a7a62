import avifEncoder from "@jsquash/avif/codec/enc/avif_enc.wasm" with { type: "file" };

import { readIconBitmap } from "../../../src/tools/images/decode/dib-pixels.ts";
import { type RgbaImage, writePng } from "../../../src/tools/images/decode/reduce-pixels.ts";

/** A picture of coloured fields, each different, so that a decoder that mixes up rows or channels is found out. */
export function fields(width: number, height: number, alpha = 255): RgbaImage {
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      pixels.set([(x * 40) % 256, (y * 60) % 256, (x + y) % 2 === 0 ? 200 : 20, alpha], at);
    }
  }
  return { width, height, pixels };
}

/** Noise, which no format compresses. */
export function noise(width: number, height: number): RgbaImage {
  const pixels = new Uint8Array(width * height * 4);
  let state = 1;
  for (let at = 0; at < pixels.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    pixels[at] = at % 4 === 3 ? 255 : state >> 16;
  }
  return { width, height, pixels };
}

export const samplePng = (width = 6, height = 4): Uint8Array => writePng(fields(width, height));

/** An uncompressed BMP of 24 bits, bottom to top. */
export function sampleBmp({ width, height, pixels }: RgbaImage): Uint8Array {
  const stride = Math.ceil((width * 24) / 32) * 4;
  const file = Buffer.alloc(54 + stride * height);
  file.write("BM", 0, "latin1");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4;
      const [red = 0, green = 0, blue = 0] = pixels.subarray(from, from + 3);
      file.set([blue, green, red], 54 + (height - 1 - y) * stride + x * 3);
    }
  }
  return file;
}

/** A bitmap as icons have it: 32 bits, the height doubled for a mask that follows the colours. */
export function iconBitmap({ width, height, pixels }: RgbaImage): Uint8Array {
  const maskStride = Math.ceil(width / 32) * 4;
  const bitmap = Buffer.alloc(40 + width * height * 4 + maskStride * height);
  bitmap.writeUInt32LE(40, 0);
  bitmap.writeInt32LE(width, 4);
  bitmap.writeInt32LE(height * 2, 8);
  bitmap.writeUInt16LE(1, 12);
  bitmap.writeUInt16LE(32, 14);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4;
      const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(from, from + 4);
      bitmap.set([blue, green, red, alpha], 40 + ((height - 1 - y) * width + x) * 4);
    }
  }
  return bitmap;
}

/** An icon with the given pictures (PNG files or bitmaps) and the sizes that its directory claims. */
export function sampleIcon(
  pictures: readonly { readonly edge: number; readonly bytes: Uint8Array }[],
): Uint8Array {
  const head = Buffer.alloc(6 + pictures.length * 16);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let offset = head.length;
  for (const [index, { edge, bytes }] of pictures.entries()) {
    const at = 6 + index * 16;
    head.set([edge % 256, edge % 256, 0, 0, 1, 0, 32, 0], at);
    head.writeUInt32LE(bytes.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += bytes.length;
  }
  return Buffer.concat([head, ...pictures.map(({ bytes }) => bytes)]);
}

/** A GIF of `frames` frames, each of one colour of two. */
export function sampleGif(width: number, height: number, frames = 1): Uint8Array {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const screen = Buffer.from([0x80, 0, 0, 255, 0, 0, 0, 0, 255]);
  const images = Array.from({ length: frames }, (_, index) =>
    Buffer.concat([
      Buffer.from([0x2c, 0, 0, 0, 0]),
      size,
      Buffer.from([0, 2]),
      blocksOf(plainCodes(width * height, index % 2)),
    ]),
  );
  return Buffer.concat([Buffer.from("GIF89a"), size, screen, ...images, Buffer.from([0x3b])]);
}

/** LZW codes of three bits that never grow: the table is cleared after every two pixels. */
function plainCodes(pixels: number, colour: number): Uint8Array {
  const [clear, end] = [4, 5];
  const codes: number[] = [];
  for (let pixel = 0; pixel < pixels; pixel++) {
    if (pixel % 2 === 0) codes.push(clear);
    codes.push(colour);
  }
  codes.push(end);
  const bytes = new Uint8Array(Math.ceil((codes.length * 3) / 8));
  for (const [index, code] of codes.entries()) {
    for (let bit = 0; bit < 3; bit++) {
      const at = index * 3 + bit;
      bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (((code >> bit) & 1) << (at & 7));
    }
  }
  return bytes;
}

/** Sub-blocks of at most 255 bytes, and the empty one that ends them. */
function blocksOf(data: Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255);
    blocks.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([...blocks, Buffer.from([0])]);
}

/** A JPEG with an `Exif` segment that says `orientation`, in front of everything else. */
export function withOrientation(jpeg: Uint8Array, orientation: number): Uint8Array {
  const exif = Buffer.alloc(36);
  exif.set([0xff, 0xe1, 0, 34]);
  exif.write("Exif\0\0MM\0*\0\0\0\x08\0\x01", 4, "latin1");
  exif.set([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0], 20);
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
}

/** The picture inside an icon's bitmap, to hold against what went in. */
export function bitmapPixels(bitmap: Uint8Array): RgbaImage {
  return readIconBitmap(new DataView(bitmap.buffer, bitmap.byteOffset, bitmap.byteLength));
}

export const sampleSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#f00"/></svg>';

/** A picture that changes slowly, for formats that lose detail. */
export function slope(width: number, height: number): RgbaImage {
  const pixels = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at++) {
    pixels.set([(at % width) * 3, Math.floor(at / width) * 5, 90, 255], at * 4);
  }
  return { width, height, pixels };
}

/** `slope(64, 32)`, by the library's own encoder. */
export async function sampleAvif(): Promise<Uint8Array> {
  const { default: encode, init } = await import("@jsquash/avif/encode.js");
  await init(await WebAssembly.compile(await Bun.file(avifEncoder).arrayBuffer()));
  // Its loader leaves an address of a page behind, which others in this process would take for one.
  Reflect.deleteProperty(globalThis, "location");
  const { width, height, pixels } = slope(64, 32);
  const data = new PlainImageData(pixels, width, height);
  return new Uint8Array(await encode(data as unknown as Parameters<typeof encode>[0]));
}

/** What the encoder takes for an `ImageData`, which only browsers have. */
class PlainImageData {
  readonly data: Uint8ClampedArray;
  readonly colorSpace = "srgb";

  constructor(
    pixels: Uint8Array,
    readonly width: number,
    readonly height: number,
  ) {
    this.data = new Uint8ClampedArray(pixels);
  }
}

/** `fields(16, 8)`, by the library's own encoder. */
export async function sampleTiff(): Promise<Uint8Array> {
  const { default: utif } = await import("utif2");
  const { width, height, pixels } = fields(16, 8);
  return new Uint8Array(utif.encodeImage(pixels, width, height));
}
