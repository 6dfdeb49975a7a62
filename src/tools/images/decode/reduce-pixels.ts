import { crc32, deflateSync } from "node:zlib";

import { imageLongEdgeMax } from "../image-format.ts";

/**
 * The picture in a size that is at least that of a result: each pixel the mean of a square of them. Written out whole, 100
 * megapixels would take a gigabyte more on their way to the scaler.
 */
export function reducePixels(image: RgbaImage): RgbaImage {
  const factor = Math.floor(Math.max(image.width, image.height) / imageLongEdgeMax);
  if (factor < 2) return image;
  const width = Math.ceil(image.width / factor);
  const height = Math.ceil(image.height / factor);
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      writeMean(image, x * factor, y * factor, factor, pixels, (y * width + x) * 4);
    }
  }
  return { width, height, pixels };
}

/** The mean of a square, smaller at the edges. Colours are weighted by their opacity. */
function writeMean(
  { width, height, pixels }: RgbaImage,
  left: number,
  top: number,
  edge: number,
  out: Uint8Array,
  at: number,
): void {
  const right = Math.min(left + edge, width);
  const bottom = Math.min(top + edge, height);
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let y = top; y < bottom; y++) {
    for (let from = (y * width + left) * 4; from < (y * width + right) * 4; from += 4) {
      const seen = pixels[from + 3] ?? 0;
      red += (pixels[from] ?? 0) * seen;
      green += (pixels[from + 1] ?? 0) * seen;
      blue += (pixels[from + 2] ?? 0) * seen;
      alpha += seen;
    }
  }
  if (alpha === 0) return;
  out[at] = Math.round(red / alpha);
  out[at + 1] = Math.round(green / alpha);
  out[at + 2] = Math.round(blue / alpha);
  out[at + 3] = Math.round(alpha / ((right - left) * (bottom - top)));
}

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
