import { type ImageHeader, stillHeader } from "./image-header.ts";
/** The header in front of the pixels of a device-independent bitmap, in BMP files and in icons. */
export interface DibHeader {
  readonly width: number;
  /** As stored: in icons twice the height of the picture, because of the mask. */
  readonly height: number;
  readonly isTopDown: boolean;
  readonly bits: number;
  readonly compression: "none" | "runs8" | "runs4" | "other";
  /** Masks of red, green, blue and alpha in a pixel of 16 or 32 bits; 0 for a missing channel. */
  readonly masks: readonly [number, number, number, number];
  readonly palette: { readonly offset: number; readonly count: number; readonly entryBytes: 3 | 4 };
  /** Behind all of it. */
  readonly end: number;
}

/** The header of OS/2 1.x, whose sizes have 16 bits. */
const coreBytes = 12;
const infoBytes = 40;
/** From this length on the header holds the masks itself. */
const maskedBytes = 52;
const alphaMaskedBytes = 56;
const bitFields = 3;
const alphaBitFields = 6;
/** A palette of the most that eight bits can name. */
const coloursMax = 256;

/** @param at where it begins @throws RangeError when it is not whole */
export function readDibHeader(bytes: DataView, at: number): DibHeader {
  const headerBytes = bytes.getUint32(at, true);
  if (headerBytes === coreBytes) return readCoreHeader(bytes, at);
  const storedHeight = bytes.getInt32(at + 8, true);
  const bits = bytes.getUint16(at + 14, true);
  const code = bytes.getUint32(at + 16, true);
  const isMasked = code === bitFields || code === alphaBitFields;
  const extra = isMasked && headerBytes === infoBytes ? (code === bitFields ? 12 : 16) : 0;
  const hasAlphaMask = headerBytes >= alphaMaskedBytes || code === alphaBitFields;
  const mask = (index: number): number => bytes.getUint32(at + infoBytes + index * 4, true);
  const named = bytes.getUint32(at + 32, true);
  const count = bits > 8 ? 0 : Math.min(named === 0 ? 1 << bits : named, coloursMax);
  const offset = at + headerBytes + extra;
  return {
    width: Math.max(0, bytes.getInt32(at + 4, true)),
    height: Math.abs(storedHeight),
    isTopDown: storedHeight < 0,
    bits,
    compression: compressionOf(code, bits, isMasked && (extra > 0 || headerBytes >= maskedBytes)),
    masks: isMasked ? [mask(0), mask(1), mask(2), hasAlphaMask ? mask(3) : 0] : usualMasks(bits),
    palette: { offset, count, entryBytes: 4 },
    end: offset + count * 4,
  };
}

function readCoreHeader(bytes: DataView, at: number): DibHeader {
  const bits = bytes.getUint16(at + 10, true);
  const count = bits > 8 ? 0 : 1 << bits;
  const offset = at + coreBytes;
  return {
    width: bytes.getUint16(at + 4, true),
    height: bytes.getUint16(at + 6, true),
    isTopDown: false,
    bits,
    compression: "none",
    masks: usualMasks(bits),
    palette: { offset, count, entryBytes: 3 },
    end: offset + count * 3,
  };
}

function compressionOf(code: number, bits: number, hasMasks: boolean): DibHeader["compression"] {
  if (code === 0) return "none";
  if (code === 1 && bits === 8) return "runs8";
  if (code === 2 && bits === 4) return "runs4";
  return hasMasks && (bits === 16 || bits === 32) ? "none" : "other";
}

function usualMasks(bits: number): DibHeader["masks"] {
  return bits === 16 ? [0x7c00, 0x3e0, 0x1f, 0] : [0xff_0000, 0xff00, 0xff, 0];
}

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

/** One picture of an icon, as its directory lists it. */
interface IconEntry {
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
