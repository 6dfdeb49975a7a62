import { readDibHeader } from "./dib-header.ts";
import { type ImageHeader, stillHeader } from "./still.ts";

const fileHeaderBytes = 14;

/** BMP: complete when the pixels begin inside and a body that is not compressed is whole. */
export function readBmpHeader(bytes: DataView): ImageHeader {
  const pixels = bytes.getUint32(10, true);
  const { width, height, bits, compression } = readDibHeader(bytes, fileHeaderBytes);
  const bodyBytes = compression === "none" ? rowBytes(width, bits) * height : 1;
  return stillHeader(width, height, { isComplete: pixels + bodyBytes <= bytes.byteLength });
}

/** Rows are padded to four bytes. */
export function rowBytes(width: number, bitsPerPixel: number): number {
  return Math.ceil((width * bitsPerPixel) / 32) * 4;
}
