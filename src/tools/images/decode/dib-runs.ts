import type { DibHeader } from "../headers/dib-header.ts";

const endOfRow = 0;
const endOfBitmap = 1;
const jump = 2;

/**
 * The palette indices of a bitmap that is stored as runs of equal pixels (BI_RLE8, BI_RLE4), row by row from the top.
 * Pixels that no run reaches have index 0. Ends with the file when the mark of the end is missing.
 */
export function unfoldRuns(
  bytes: DataView,
  from: number,
  { width, height, compression }: DibHeader,
): Uint8Array {
  const indices = new Uint8Array(width * height);
  const perByte = compression === "runs4" ? 2 : 1;
  let at = from;
  let x = 0;
  let y = height - 1;
  const put = (index: number): void => {
    if (x < width) indices[y * width + x] = index;
    x++;
  };
  const indexIn = (byte: number, pixel: number): number => {
    if (perByte === 1) return byte;
    return pixel % 2 === 0 ? byte >> 4 : byte & 15;
  };
  while (y >= 0 && at + 2 <= bytes.byteLength) {
    const count = bytes.getUint8(at);
    const what = bytes.getUint8(at + 1);
    at += 2;
    if (count > 0) {
      for (let pixel = 0; pixel < count; pixel++) put(indexIn(what, pixel));
    } else if (what === endOfRow) {
      x = 0;
      y--;
    } else if (what === endOfBitmap) {
      break;
    } else if (what === jump) {
      if (at + 2 > bytes.byteLength) break;
      x += bytes.getUint8(at);
      y -= bytes.getUint8(at + 1);
      at += 2;
    } else {
      const length = Math.ceil(what / perByte);
      if (at + length > bytes.byteLength) break;
      for (let pixel = 0; pixel < what; pixel++) {
        put(indexIn(bytes.getUint8(at + Math.floor(pixel / perByte)), pixel));
      }
      // Padded to an even length.
      at += length + (length % 2);
    }
  }
  return indices;
}
