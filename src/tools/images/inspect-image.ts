import { crc32, inflateSync } from "node:zlib";

import { AppError } from "../../base/errors.ts";
import {
  readGifHeader,
  readJpegHeader,
  readPngHeader,
  readWebpHeader,
} from "./headers/common-formats.ts";
import { readIsoHeader, readSvgHeader, readTiffHeader } from "./headers/converted-formats.ts";
import { readBmpHeader, readIcoHeader } from "./headers/dib-header.ts";
import { fourCharacters, type ImageHeader } from "./headers/image-header.ts";
import { shownPath } from "./image-file.ts";
import {
  detectImageFormat,
  formatNames,
  type ImageFormat,
  imagePixelsMax,
  latin1,
  withArticle,
} from "./image-format.ts";

export interface InspectedImage {
  readonly format: ImageFormat;
  readonly header: ImageHeader;
}

/** @throws AppError `usage` that says what the file is, when it is not an image */
export function detectOrRefuse(path: string, head: Uint8Array): ImageFormat {
  const format = detectImageFormat(head);
  if (format !== undefined) return format;
  throw new AppError(
    "usage",
    `${shownPath(path)} is not a readable image; its content is ${describeFileKind(head)}. ` +
      `ReadImage reads PNG, JPEG, GIF, WebP, BMP, ICO, TIFF, AVIF, HEIC and SVG, as far as this system can.`,
  );
}

/**
 * Judges a whole file by its header alone.
 * @throws AppError `usage` when it is not an image or ends too early, `limit` when it has too many pixels
 */
export function inspectImage(path: string, bytes: Uint8Array): InspectedImage {
  const format = detectOrRefuse(path, bytes);
  const header = readImageHeader(format, bytes);
  const name = formatNames[format];
  if (header === undefined) throw notWhole(path, name, "its header is incomplete", bytes);
  if (!header.isComplete) {
    throw notWhole(path, name, "it ends before its end mark, or contains no picture", bytes);
  }
  assertDecodable(path, name, header.width, header.height);
  return { format, header };
}

/**
 * Judges an image that clients are to have as it is. @throws AppError `usage` when they could not read it
 */
export function assertSound(path: string, { format }: InspectedImage, bytes: Uint8Array): void {
  // Of the other formats readers show what they can.
  const damage = format === "png" ? pngDamage(bytes) : undefined;
  if (damage !== undefined) throw notWhole(path, formatNames[format], damage, bytes);
}

function notWhole(path: string, name: string, reason: string, bytes: Uint8Array): AppError {
  return new AppError(
    "usage",
    `${shownPath(path)} is ${withArticle(name)} image that is truncated or damaged: ${reason} (${bytes.length} bytes). ` +
      `Get a complete copy.`,
  );
}

/** @throws AppError `limit` above 100 megapixels */
export function assertDecodable(path: string, name: string, width: number, height: number): void {
  if (width * height <= imagePixelsMax) return;
  const megapixels = Math.round((width * height) / 1e6);
  throw new AppError(
    "limit",
    `${shownPath(path)} is ${withArticle(name)} image of ${width} × ${height} pixels (${megapixels} megapixels); ` +
      `the limit is ${imagePixelsMax / 1e6} megapixels. Make a smaller copy.`,
  );
}

/** Magic bytes of files that are not images, and the name of each kind. */
const kinds: readonly (readonly [offset: number, start: string, name: string])[] = [
  [0, "%PDF-", "a PDF document"],
  [0, "PK\x03\x04", "a ZIP archive or an Office document"],
  [0, "\x1f\x8b", "gzip data"],
  [0, "BZh", "bzip2 data"],
  [0, "\xfd7zXZ\0", "xz data"],
  [0, "(\xb5/\xfd", "zstd data"],
  [0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive"],
  [0, "Rar!", "a RAR archive"],
  [257, "ustar", "a tar archive"],
  [0, "\x7fELF", "a Linux program"],
  [0, "MZ", "a Windows program"],
  [0, "\xcf\xfa\xed\xfe", "a macOS program"],
  [0, "\xca\xfe\xba\xbe", "a macOS program or a Java class"],
  [0, "\0asm", "a WebAssembly module"],
  [0, "SQLite format 3\0", "an SQLite database"],
  [0, "ID3", "MP3 audio"],
  [0, "fLaC", "FLAC audio"],
  [0, "OggS", "Ogg audio or video"],
  [4, "ftyp", "MP4 or QuickTime video"],
  [0, "\x1aE\xdf\xa3", "Matroska or WebM video"],
  [0, "RIFF", "WAV audio or AVI video"],
  [0, "8BPS", "a Photoshop document"],
  [0, "%!PS", "a PostScript document"],
  [0, "\xffO\xffQ", "a JPEG 2000 image"],
  [0, "\0\0\0\x0cjP  ", "a JPEG 2000 image"],
  [0, "\xff\x0a", "a JPEG XL image"],
  [0, "\0\0\0\x0cJXL ", "a JPEG XL image"],
  [0, "P4\n", "a Netpbm image"],
  [0, "P5\n", "a Netpbm image"],
  [0, "P6\n", "a Netpbm image"],
  [0, "\0\0\x02\0", "a Windows cursor"],
];

/** The kind of a file that is not a known image, as the end of "its content is …"; none of its content is shown. */
function describeFileKind(bytes: Uint8Array): string {
  if (bytes.length === 0) return "empty";
  const known = kinds.find(([offset, start]) => latin1(bytes, offset, start.length) === start);
  if (known !== undefined) return known[2];
  return isText(bytes) ? describeText(bytes) : "binary data of an unknown kind";
}

function describeText(bytes: Uint8Array): string {
  const start = new TextDecoder().decode(bytes.subarray(0, 512)).trimStart().toLowerCase();
  if (start.startsWith("<!doctype html") || start.startsWith("<html")) return "an HTML page";
  if (start.startsWith("<?xml")) return "an XML document";
  if (start.startsWith("{") || start.startsWith("[")) return "text, probably JSON";
  return "text";
}

const textBytesLooked = 4_096;

/** Without NUL and with few other control characters. */
function isText(bytes: Uint8Array): boolean {
  const looked = bytes.subarray(0, textBytesLooked);
  let controls = 0;
  for (const byte of looked) {
    if (byte === 0) return false;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 27) controls++;
  }
  return controls * 50 <= looked.length;
}

const signatureBytes = 8;
/** Length and name in front of a chunk's data; a checksum behind it. */
const chunkHeadBytes = 8;
const channelsOf: readonly (number | undefined)[] = [1, undefined, 3, 1, 2, undefined, 4];
/** Encoders may leave something behind the last row. */
const slackBytes = 4_096;

/** First column and row, and the distance of columns and rows, of the passes of Adam7. */
const passes: readonly (readonly [x: number, y: number, byX: number, byY: number])[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

/**
 * The damage of a file with the structure of a PNG, as the end of "… is damaged: "; undefined when it is sound. A
 * client that is given a picture which it cannot read may refuse the whole conversation from then on. Checks every
 * checksum and decompresses the pixels, up to the size given by the header: for small pictures.
 */
export function pngDamage(bytes: Uint8Array): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data: Uint8Array[] = [];
  for (let at = signatureBytes; at + chunkHeadBytes < bytes.length;) {
    const name = fourCharacters(view, at + 4);
    const end = at + chunkHeadBytes + view.getUint32(at);
    // A lower-case letter: readers may do without the chunk.
    const isCritical = /^[A-Z]/.test(name);
    if (isCritical && crc32(bytes.subarray(at + 4, end)) !== view.getUint32(end)) {
      return `the checksum of its ${name} chunk is wrong`;
    }
    if (name === "IDAT") data.push(bytes.subarray(at + chunkHeadBytes, end));
    if (name === "IEND") break;
    at = end + 4;
  }
  return pixelDamage(view, data);
}

function pixelDamage(view: DataView, data: readonly Uint8Array[]): string | undefined {
  const needed = unfoldedBytes(view);
  if (needed === undefined) return "its header has an invalid colour type";
  try {
    const unfolded = inflateSync(Buffer.concat(data), { maxOutputLength: needed + slackBytes });
    return unfolded.length < needed ? "it has fewer pixels than its header says" : undefined;
  } catch {
    return "its pixel data cannot be decompressed";
  }
}

/** The bytes of all rows, each with the one that names its filter. */
function unfoldedBytes(view: DataView): number | undefined {
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const channels = channelsOf[view.getUint8(25)];
  if (channels === undefined) return undefined;
  const pixelBits = channels * view.getUint8(24);
  const rows = (columns: number, count: number): number =>
    columns <= 0 || count <= 0 ? 0 : (1 + Math.ceil((columns * pixelBits) / 8)) * count;
  if (view.getUint8(28) === 0) return rows(width, height);
  return passes.reduce(
    (sum, [x, y, byX, byY]) =>
      sum + rows(Math.ceil((width - x) / byX), Math.ceil((height - y) / byY)),
    0,
  );
}

const readers: Readonly<Record<ImageFormat, (bytes: DataView) => ImageHeader>> = {
  png: readPngHeader,
  jpeg: readJpegHeader,
  gif: readGifHeader,
  webp: readWebpHeader,
  bmp: readBmpHeader,
  ico: readIcoHeader,
  tiff: readTiffHeader,
  avif: readIsoHeader,
  heic: readIsoHeader,
  svg: readSvgHeader,
};

/**
 * Reads the header of a whole file. Undefined when the file ends before its header does, or the header
 * says nothing of a size. Every read is checked against the end of the file.
 */
export function readImageHeader(format: ImageFormat, bytes: Uint8Array): ImageHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const header = readers[format](view);
    return header.width > 0 && header.height > 0 ? header : undefined;
  } catch (error) {
    // A read past the end of the view.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
