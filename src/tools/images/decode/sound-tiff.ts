import { inflateSync } from "node:zlib";

import { readImageHeader } from "../image-header.ts";
import { imagePixelsMax } from "../image-limits.ts";
import { unfoldLzw } from "./tiff-lzw.ts";
import { numberOf, numbersOf, type TiffPage } from "./tiff-page.ts";

/** Compressions that are left to the library; the others belong to raw camera files, or are obsolete. */
const compressions: ReadonlySet<number> = new Set([1, 3, 4, 5, 7, 8, 32_773, 32_946]);
const jpeg = 7;
const lzw = 5;
/** Unfolded here; the others are the library's, which ends with their input. */
const bounded: ReadonlySet<number> = new Set([lzw, 8, 32_946]);
/** Size limit of the samples before they become colours: 100 megapixels of four channels with 16 bits. */
const sampleBytesMax = 800_000_000;
const partsMax = 100_000;
/** Of all parts together: tiles reach beyond the edges of the picture. */
const partsBytesMax = 1_000_000_000;

interface Layout {
  readonly offsets: number[];
  readonly lengths: number[];
  /** Of one strip or tile, in bytes, when it is unfolded. */
  readonly partBytes: number;
}

/**
 * Makes sure that the library, which believes what a page says, neither runs nor swells beyond the page's size. Compressed
 * parts are unfolded here, within their bounds.
 * @returns the bytes to read the page from; it is changed to match
 * @throws Error with what is wrong
 */
export function soundTiff(page: TiffPage, file: Uint8Array): Uint8Array {
  const compression = numberOf(page, 259) ?? 1;
  if (!compressions.has(compression)) throw new Error(`its compression ${compression} is unknown`);
  const layout = layoutOf(page);
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

function layoutOf(page: TiffPage): Layout {
  const [width, height] = [numberOf(page, 256) ?? 0, numberOf(page, 257) ?? 0];
  const pixelBits = (numberOf(page, 258) ?? 1) * (numberOf(page, 277) ?? 1);
  const bytesOf = (columns: number, rows: number): number =>
    Math.ceil((columns * pixelBits) / 8) * rows;
  if (!(width > 0 && height > 0 && width * height <= imagePixelsMax)) {
    throw new Error("its size is invalid");
  }
  if (bytesOf(width, height) > sampleBytesMax) throw new Error("its samples take too much memory");
  const isTiled = page["t322"] !== undefined;
  const [partWidth, partHeight] = isTiled
    ? [numberOf(page, 322) ?? 0, numberOf(page, 323) ?? 0]
    : [width, Math.min(numberOf(page, 278) ?? height, height)];
  const partBytes = bytesOf(partWidth, partHeight);
  const count = Math.ceil(width / partWidth) * Math.ceil(height / partHeight);
  if (!(
    partWidth > 0 &&
    partHeight > 0 &&
    count <= partsMax &&
    partBytes * count <= partsBytesMax
  )) {
    throw new Error("its strips or tiles have an invalid size");
  }
  const offsets = numbersOf(page, isTiled && page["t324"] !== undefined ? 324 : 273);
  const lengths = numbersOf(page, isTiled && page["t325"] !== undefined ? 325 : 279);
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
