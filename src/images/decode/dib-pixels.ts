import { rowBytes } from "../headers/bmp-header.ts";
import type { RgbaImage } from "./png-writer.ts";

/** A colour table of the most that eight bits can name. */
const coloursMax = 256;

/**
 * The pixels of a bitmap inside an icon: a BMP without file header whose height counts a mask of one bit a pixel below the
 * colours. With 32 bits the alpha channel counts, unless it is empty throughout.
 * @throws RangeError when it ends too early, Error for depths that icons do not have
 */
export function readIconBitmap(bytes: DataView): RgbaImage {
  const headerBytes = bytes.getUint32(0, true);
  const width = bytes.getInt32(4, true);
  const height = bytes.getInt32(8, true) / 2;
  const bits = bytes.getUint16(14, true);
  if (width < 1 || width > 4_096 || height < 1 || height > 4_096 || !Number.isInteger(height)) {
    throw new Error(`a bitmap of ${width} × ${height} pixels`);
  }
  const colourCount = bits > 8 ? 0 : Math.min(bytes.getUint32(32, true) || 1 << bits, coloursMax);
  const colours = headerBytes;
  const body = colours + colourCount * 4;
  const pixels = new Uint8Array(width * height * 4);
  const stride = rowBytes(width, bits);
  let hasAlpha = false;
  for (let y = 0; y < height; y++) {
    const row = body + (height - 1 - y) * stride;
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const from =
        bits > 8 ? row + (x * bits) / 8 : colours + paletteIndex(bytes, row, x, bits) * 4;
      pixels[at] = bytes.getUint8(from + 2);
      pixels[at + 1] = bytes.getUint8(from + 1);
      pixels[at + 2] = bytes.getUint8(from);
      pixels[at + 3] = bits === 32 ? bytes.getUint8(from + 3) : 255;
      hasAlpha ||= bits === 32 && pixels[at + 3] !== 0;
    }
  }
  if (!hasAlpha) applyMask(bytes, body + stride * height, { width, height, pixels });
  return { width, height, pixels };
}

function paletteIndex(bytes: DataView, row: number, x: number, bits: number): number {
  switch (bits) {
    case 8:
      return bytes.getUint8(row + x);
    case 4:
      return (bytes.getUint8(row + (x >> 1)) >> (x % 2 === 0 ? 4 : 0)) & 15;
    case 1:
      return (bytes.getUint8(row + (x >> 3)) >> (7 - (x % 8))) & 1;
    default:
      throw new Error(`a bitmap of ${bits} bits a pixel`);
  }
}

/** A set bit is transparent. A bitmap without the mask is opaque. */
function applyMask(bytes: DataView, offset: number, { width, height, pixels }: RgbaImage): void {
  const stride = rowBytes(width, 1);
  const hasMask = offset + stride * height <= bytes.byteLength;
  for (let y = 0; y < height; y++) {
    const row = offset + (height - 1 - y) * stride;
    for (let x = 0; x < width; x++) {
      const isClear = hasMask && ((bytes.getUint8(row + (x >> 3)) >> (7 - (x % 8))) & 1) === 1;
      pixels[(y * width + x) * 4 + 3] = isClear ? 0 : 255;
    }
  }
}
