import { crc32, deflateSync } from "node:zlib";

/** Pixels as red, green, blue, alpha, row by row from the top. */
export interface RgbaImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** A PNG of the pixels, written quickly and not small: it is read again immediately. */
export function writePng({ width, height, pixels }: RgbaImage): Uint8Array {
  const rowLength = width * 4;
  const filtered = new Uint8Array((rowLength + 1) * height);
  for (let row = 0; row < height; row++) {
    // Filter type 0: the row as it is.
    filtered.set(
      pixels.subarray(row * rowLength, (row + 1) * rowLength),
      row * (rowLength + 1) + 1,
    );
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a channel, colour with alpha.
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(filtered, { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Uint8Array): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length, 0);
  framed.write(name, 4, "latin1");
  framed.set(data, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, data.length + 8)), data.length + 8);
  return framed;
}
