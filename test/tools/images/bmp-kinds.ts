import type { RgbaImage } from "../../../src/tools/images/decode/reduce-pixels.ts";

export interface BmpParts {
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
export function bmpOf({
  height = 2,
  bits,
  compression = 0,
  headerBytes = 40,
  table = [],
  body,
}: BmpParts): DataView {
  const file = Buffer.alloc(14 + headerBytes + table.length + body.length);
  file.write("BM", 0, "latin1");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(14 + headerBytes + table.length, 10);
  file.writeUInt32LE(headerBytes, 14);
  if (headerBytes === 12) {
    file.writeUInt16LE(3, 18);
    file.writeUInt16LE(height, 20);
    file.writeUInt16LE(1, 22);
    file.writeUInt16LE(bits, 24);
  } else {
    file.writeInt32LE(3, 18);
    file.writeInt32LE(height, 22);
    file.writeUInt16LE(1, 26);
    file.writeUInt16LE(bits, 28);
    file.writeUInt32LE(compression, 30);
    // Colours, of which there may be fewer than the bits can name.
    if (bits <= 8) file.writeUInt32LE(table.length / 4, 46);
  }
  file.set(table, 14 + headerBytes);
  file.set(body, 14 + headerBytes + table.length);
  return new DataView(file.buffer, file.byteOffset, file.byteLength);
}

/** Colours as bitmaps have them: blue, green, red. */
export const redAndBlue: readonly number[] = [0, 0, 255, 0, 255, 0, 0, 0];

/** The picture of all `bmpKinds`: two red pixels and a blue one above three blue ones. */
export const bmpPicture: RgbaImage = {
  width: 3,
  height: 2,
  pixels: Uint8Array.from(
    [0, 0, 1, 1, 1, 1].flatMap((blue) => [255 * (1 - blue), 0, 255 * blue, 255]),
  ),
};

/** One picture in the forms that BMP has besides three bytes a pixel. */
export const bmpKinds: readonly [string, BmpParts][] = [
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
];
