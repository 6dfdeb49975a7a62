import { type DibHeader, readDibHeader, rowBytes } from "../headers/dib-header.ts";
import type { RgbaImage } from "./reduce-pixels.ts";

const fileHeaderBytes = 14;
/** Larger bitmaps in icons are mistakes: their directory knows 256. */
const iconEdgeMax = 4_096;
const opaqueBlack = 0x0000_00ff;

/**
 * The pixels of a BMP file: with a palette, of 16, 24 or 32 bits, with masks, or as runs.
 * @throws RangeError when it ends too early, Error for features that BMP does not have
 */
export function readBmp(bytes: DataView): RgbaImage {
  const header = readDibHeader(bytes, fileHeaderBytes);
  const body = bytes.getUint32(10, true);
  switch (header.compression) {
    case "none":
      return readRows(bytes, header, header.height, body);
    case "runs8":
    case "runs4":
      return readRuns(bytes, header, body);
    case "other":
      throw new Error("a compression that bitmaps do not support");
  }
}

/**
 * The pixels of a bitmap inside an icon: a BMP without file header whose height includes a mask of one bit a pixel
 * below the colours. With 32 bits the alpha channel is used, unless it is empty throughout.
 * @throws RangeError when it ends too early, Error for features that icons do not have
 */
export function readIconBitmap(bytes: DataView): RgbaImage {
  const header = readDibHeader(bytes, 0);
  const { width, bits } = header;
  const height = header.height / 2;
  if (width < 1 || width > iconEdgeMax || height < 1 || height > iconEdgeMax || height % 1 !== 0) {
    throw new Error(`a bitmap of ${width} × ${height} pixels`);
  }
  if (header.compression !== "none") throw new Error("a compressed bitmap");
  const [red, green, blue] = header.masks;
  const masks = [red, green, blue, bits === 32 ? 0xff00_0000 : 0] as const;
  const image = readRows(bytes, { ...header, masks }, height, header.end);
  const isEmpty = image.pixels.every((value, at) => at % 4 !== 3 || value === 0);
  if (bits !== 32 || isEmpty) applyMask(bytes, header.end + rowBytes(width, bits) * height, image);
  return image;
}

type PixelReader = (row: number, x: number) => number;

/** Rows as they are, each padded to four bytes. */
function readRows(bytes: DataView, header: DibHeader, height: number, body: number): RgbaImage {
  const { width, bits, isTopDown } = header;
  const stride = rowBytes(width, bits);
  // Before anything of that size is made.
  if (body + stride * height > bytes.byteLength)
    throw new RangeError("its pixel data is incomplete");
  const pixels = new Uint8Array(width * height * 4);
  const read = pixelReader(bytes, header);
  const view = new DataView(pixels.buffer);
  for (let y = 0; y < height; y++) {
    const row = body + (isTopDown ? y : height - 1 - y) * stride;
    for (let x = 0; x < width; x++) view.setUint32((y * width + x) * 4, read(row, x));
  }
  return { width, height, pixels };
}

function readRuns(bytes: DataView, header: DibHeader, body: number): RgbaImage {
  const { width, height } = header;
  const indices = unfoldRuns(bytes, body, header);
  const colours = paletteOf(bytes, header);
  const pixels = new Uint8Array(width * height * 4);
  const view = new DataView(pixels.buffer);
  for (let at = 0; at < indices.length; at++) {
    view.setUint32(at * 4, colours[indices[at] ?? 0] ?? opaqueBlack);
  }
  return { width, height, pixels };
}

/** Reads a pixel as 0xRRGGBBAA. */
function pixelReader(bytes: DataView, header: DibHeader): PixelReader {
  const { bits } = header;
  switch (bits) {
    case 8: {
      const colours = paletteOf(bytes, header);
      return (row, x) => colours[bytes.getUint8(row + x)] ?? opaqueBlack;
    }
    case 1:
    case 2:
    case 4: {
      const colours = paletteOf(bytes, header);
      const perByte = 8 / bits;
      const mask = (1 << bits) - 1;
      return (row, x) => {
        const byte = bytes.getUint8(row + Math.floor(x / perByte));
        return colours[(byte >> (8 - bits * (1 + (x % perByte)))) & mask] ?? opaqueBlack;
      };
    }
    case 16:
      return maskedReader(header, (row, x) => bytes.getUint16(row + x * 2, true));
    case 24:
      return (row, x) => {
        const at = row + x * 3;
        return rgba(bytes.getUint8(at + 2), bytes.getUint8(at + 1), bytes.getUint8(at), 255);
      };
    case 32:
      return maskedReader(header, (row, x) => bytes.getUint32(row + x * 4, true));
    default:
      throw new Error(`a bitmap of ${bits} bits a pixel`);
  }
}

function rgba(red: number, green: number, blue: number, alpha: number): number {
  return ((red << 24) | (green << 16) | (blue << 8) | alpha) >>> 0;
}

/** Channels are wherever the masks say, in as many bits. */
function maskedReader({ masks }: DibHeader, value: PixelReader): PixelReader {
  const [red, green, blue, alpha] = masks.map(channelOf);
  return (row, x) => {
    const pixel = value(row, x);
    return rgba(red?.(pixel) ?? 0, green?.(pixel) ?? 0, blue?.(pixel) ?? 0, alpha?.(pixel) ?? 255);
  };
}

function channelOf(mask: number): ((pixel: number) => number) | undefined {
  if (mask === 0) return undefined;
  const shift = 31 - Math.clz32(mask & -mask);
  const scale = 255 / (mask >>> shift);
  return (pixel) => Math.round(((pixel & mask) >>> shift) * scale);
}

/** Each colour as 0xRRGGBBAA; those that the file does not have are black. */
function paletteOf(bytes: DataView, { palette }: DibHeader): Uint32Array {
  const colours = new Uint32Array(256).fill(opaqueBlack);
  for (let index = 0; index < palette.count; index++) {
    const at = palette.offset + index * palette.entryBytes;
    colours[index] = rgba(bytes.getUint8(at + 2), bytes.getUint8(at + 1), bytes.getUint8(at), 255);
  }
  return colours;
}

/** A set bit means transparent. A bitmap without the mask is opaque. */
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

const endOfRow = 0;
const endOfBitmap = 1;
const jump = 2;

/**
 * The palette indices of a bitmap that is stored as runs of equal pixels (BI_RLE8, BI_RLE4), row by row from the top.
 * Pixels that no run reaches have index 0. Ends with the file when the mark of the end is missing.
 */
function unfoldRuns(
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
