import { type ImageHeader, stillHeader } from "./still.ts";

/** One picture of an icon, as its directory lists it. */
export interface IconEntry {
  readonly width: number;
  readonly height: number;
  readonly bitsPerPixel: number;
  readonly offset: number;
  readonly length: number;
}

/** Icons have a handful of sizes: more entries are not looked at. */
const entriesMax = 64;

/** The directory, largest picture first, then most colours. */
export function readIconEntries(bytes: DataView): IconEntry[] {
  const count = Math.min(bytes.getUint16(4, true), entriesMax);
  return Array.from({ length: count }, (_, index) => readEntry(bytes, 6 + index * 16)).sort(
    (a, b) => b.width * b.height - a.width * a.height || b.bitsPerPixel - a.bitsPerPixel,
  );
}

function readEntry(bytes: DataView, at: number): IconEntry {
  return {
    // One byte each: 0 means 256.
    width: bytes.getUint8(at) || 256,
    height: bytes.getUint8(at + 1) || 256,
    bitsPerPixel: bytes.getUint16(at + 6, true),
    length: bytes.getUint32(at + 8, true),
    offset: bytes.getUint32(at + 12, true),
  };
}

/** ICO: the size of its largest picture, by the directory. */
export function readIcoHeader(bytes: DataView): ImageHeader {
  const [largest] = readIconEntries(bytes);
  if (largest === undefined) return stillHeader(0, 0);
  const isComplete = largest.offset + largest.length <= bytes.byteLength;
  return stillHeader(largest.width, largest.height, { isComplete });
}
