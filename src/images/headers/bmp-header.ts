import type { ImageHeader } from "../image-header.ts";
import { stillHeader } from "./still.ts";

/** The header of OS/2 1.x, whose sizes have 16 bits. */
const coreHeaderBytes = 12;

/** BMP: a negative height means top to bottom. Complete when the pixels begin inside and an uncompressed body is whole. */
export function readBmpHeader(bytes: DataView): ImageHeader {
  const pixels = bytes.getUint32(10, true);
  if (bytes.getUint32(14, true) === coreHeaderBytes) {
    const [width, height] = [bytes.getUint16(18, true), bytes.getUint16(20, true)];
    const needed = pixels + rowBytes(width, bytes.getUint16(24, true)) * height;
    return stillHeader(width, height, { isComplete: needed <= bytes.byteLength });
  }
  const width = Math.max(0, bytes.getInt32(18, true));
  const height = Math.abs(bytes.getInt32(22, true));
  const bits = bytes.getUint16(28, true);
  const compression = bytes.getUint32(30, true);
  const isRunLength = compression === 1 || compression === 2;
  const bodyBytes = isRunLength ? 1 : rowBytes(width, bits) * height;
  const isComplete = pixels + bodyBytes <= bytes.byteLength;
  return stillHeader(width, height, { isComplete });
}

/** Rows are padded to four bytes. */
export function rowBytes(width: number, bitsPerPixel: number): number {
  return Math.ceil((width * bitsPerPixel) / 32) * 4;
}
