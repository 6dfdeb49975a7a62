import { inflateSync } from "node:zlib";

import { imagePixelsMax } from "../image-format.ts";
import { readImageHeader } from "../inspect-image.ts";
import { unfoldLzw } from "./unfold-lzw.ts";

/** A page as the library has it: the values of each tag under `t` and its number. */
type TiffPage = Record<string, number[] | Uint8Array>;

/** Bytes of a value: byte, short, long, and bytes of no type. */
const valueBytes: ReadonlyMap<number, number> = new Map([
  [1, 1],
  [3, 2],
  [4, 4],
  [7, 1],
]);
const entriesMax = 4_096;
const valuesMax = 1_000_000;

/**
 * The first page of a TIFF: the tags about its pixels, without its metadata. The library's own reader follows pages in
 * circles, and makes lists of any length that the file gives.
 * @throws RangeError when it is not whole
 */
export function readTiffPage(file: DataView): TiffPage {
  const isLittle = file.getUint16(0) === 0x4949;
  const directory = file.getUint32(4, isLittle);
  const count = Math.min(file.getUint16(directory, isLittle), entriesMax);
  const page: TiffPage = {};
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12;
    const values = readValues(file, entry, isLittle);
    if (values !== undefined) page[`t${file.getUint16(entry, isLittle)}`] = values;
  }
  return page;
}

function readValues(
  file: DataView,
  entry: number,
  isLittle: boolean,
): number[] | Uint8Array | undefined {
  const type = file.getUint16(entry + 2, isLittle);
  const count = file.getUint32(entry + 4, isLittle);
  const each = valueBytes.get(type);
  if (each === undefined || count === 0) return undefined;
  const at = count * each <= 4 ? entry + 8 : file.getUint32(entry + 8, isLittle);
  if (at + count * each > file.byteLength) return undefined;
  if (each === 1) return new Uint8Array(file.buffer, file.byteOffset + at, count);
  return Array.from({ length: Math.min(count, valuesMax) }, (_, index) =>
    each === 2
      ? file.getUint16(at + index * 2, isLittle)
      : file.getUint32(at + index * 4, isLittle),
  );
}

/** The first value of a tag. */
export function numberOf(page: TiffPage, tag: number): number | undefined {
  return numbersOf(page, tag)[0];
}

/** The values of a tag; none for one that is not there. */
function numbersOf(page: TiffPage, tag: number): number[] {
  const values = page[`t${tag}`];
  return Array.isArray(values) ? values.filter((value) => typeof value === "number") : [];
}

/** Compressions that are left to the library; the others belong to raw camera files, or are obsolete. */
const compressions: ReadonlySet<number> = new Set([1, 3, 4, 5, 7, 8, 32_773, 32_946]);
const jpeg = 7;
const lzw = 5;
/** Unfolded here; the others are the library's, which ends with their input. */
const bounded: ReadonlySet<number> = new Set([lzw, 8, 32_946]);
/** Size limit of the samples before they become colours: 100 megapixels of four channels with 16 bits. */
const sampleBytesMax = 800_000_000;
/**
 * No compression read here makes more of a byte, but for fax, whose pages of one bit are below the second: up to that
 * all are read.
 */
const foldMax = 4_096;
const sampleBytesFree = 16_000_000;
const partsMax = 100_000;
/** Bytes of all parts together: tiles reach beyond the edges of the picture. */
const partsBytesMax = 1_000_000_000;

interface Layout {
  readonly offsets: number[];
  readonly lengths: number[];
  /** Bytes of one strip or tile, when it is unfolded. */
  readonly partBytes: number;
}

/**
 * Makes sure that the library, which trusts the fields of a page, neither runs nor allocates beyond the page's size. Compressed
 * parts are decompressed here, within their bounds.
 * @returns the bytes to read the page from; it is changed to match
 * @throws Error that names the fault
 */
export function soundTiff(page: TiffPage, file: Uint8Array): Uint8Array {
  const compression = numberOf(page, 259) ?? 1;
  if (!compressions.has(compression)) throw new Error(`its compression ${compression} is unknown`);
  const layout = layoutOf(page, file.length);
  // The library reads as many bytes as the file states, even past its end, and counts their bits in 32-bit integers.
  for (const [index, offset] of layout.offsets.entries()) {
    layout.offsets[index] = Math.min(offset, file.length);
  }
  const parts = layout.offsets.map((offset, index) =>
    file.subarray(offset, offset + (layout.lengths[index] ?? 0)),
  );
  if (compression === jpeg) {
    for (const part of parts) assertSmall(part);
  }
  if (!bounded.has(compression)) {
    layout.lengths.splice(0, layout.lengths.length, ...parts.map(({ length }) => length));
    return file;
  }
  const unfolded = parts.map((part) =>
    compression === lzw ? unfoldLzw(part, layout.partBytes) : inflate(part, layout.partBytes),
  );
  page["t259"] = [1];
  // It finds the order of bytes in the beginning.
  const beginning = file.subarray(0, 8);
  let end = beginning.length;
  for (const [index, { length }] of unfolded.entries()) {
    layout.offsets[index] = end;
    layout.lengths[index] = length;
    end += length;
  }
  return Buffer.concat([beginning, ...unfolded]);
}

function layoutOf(page: TiffPage, fileBytes: number): Layout {
  const { count, partBytes } = partsOf(page, sizeOf(page, fileBytes));
  const offsets = numbersOf(page, tagOf(page, 324, 273));
  const lengths = numbersOf(page, tagOf(page, 325, 279));
  // A single part that is not compressed needs no length.
  if (lengths.length === 0 && offsets.length === 1) lengths.push(partBytes);
  if (offsets.length < count || lengths.length < count || offsets.length > partsMax) {
    throw new Error("some of its strips or tiles are missing");
  }
  offsets.length = count;
  lengths.length = count;
  for (const name of ["t273", "t324"]) page[name] = offsets;
  for (const name of ["t279", "t325"]) page[name] = lengths;
  return { offsets, lengths, partBytes };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function sizeOf(page: TiffPage, fileBytes: number): Size {
  const width = numberOf(page, 256) ?? 0;
  const height = numberOf(page, 257) ?? 0;
  if (!(width > 0 && height > 0 && width * height <= imagePixelsMax)) {
    throw new Error("its size is invalid");
  }
  const size = { width, height };
  const sampleBytes = bytesOf(page, size);
  if (sampleBytes > sampleBytesMax) throw new Error("its samples take too much memory");
  if (sampleBytes > sampleBytesFree + fileBytes * foldMax)
    throw new Error("most of its samples are missing");
  return size;
}

/** How many strips or tiles there are, and the bytes of one when it is unfolded. */
function partsOf(
  page: TiffPage,
  size: Size,
): { readonly count: number; readonly partBytes: number } {
  const part = isTiled(page) ? tileSizeOf(page) : stripSizeOf(page, size);
  const partBytes = bytesOf(page, part);
  const count = Math.ceil(size.width / part.width) * Math.ceil(size.height / part.height);
  const isBounded = count <= partsMax && partBytes * count <= partsBytesMax;
  if (!(part.width > 0 && part.height > 0 && isBounded))
    throw new Error("its strips or tiles have an invalid size");
  return { count, partBytes };
}

function tileSizeOf(page: TiffPage): Size {
  return { width: numberOf(page, 322) ?? 0, height: numberOf(page, 323) ?? 0 };
}

function stripSizeOf(page: TiffPage, { width, height }: Size): Size {
  return { width, height: Math.min(numberOf(page, 278) ?? height, height) };
}

/** Bytes of an area of the page, not compressed: each of its rows begins with a new byte. */
function bytesOf(page: TiffPage, { width, height }: Size): number {
  const pixelBits = (numberOf(page, 258) ?? 1) * (numberOf(page, 277) ?? 1);
  return Math.ceil((width * pixelBits) / 8) * height;
}

function isTiled(page: TiffPage): boolean {
  return page["t322"] !== undefined;
}

/** The tag of a list of parts: tiles may be listed under that of strips. */
function tagOf(page: TiffPage, ofTiles: number, ofStrips: number): number {
  return isTiled(page) && page[`t${ofTiles}`] !== undefined ? ofTiles : ofStrips;
}

/** Damaged parts are missing from the picture, as with other readers. */
function inflate(part: Uint8Array, bytesMax: number): Uint8Array {
  try {
    return inflateSync(part, { maxOutputLength: bytesMax + 4_096 });
  } catch {
    return new Uint8Array();
  }
}

/** A part may be a JPEG of another size than the page. */
function assertSmall(part: Uint8Array): void {
  const header = readImageHeader("jpeg", part);
  if (header === undefined || header.width * header.height > imagePixelsMax) {
    throw new Error("one of its strips or tiles is damaged");
  }
}
