import wasmFile from "@jsquash/avif/codec/dec/avif_dec.wasm" with { type: "file" };

import { AppError, messageOf, systemCodeOf } from "../../../base/errors.ts";
import { isCompiled } from "../../../base/product.ts";
import { type WebpChunk, webpChunks } from "../headers/common-formats.ts";
import { readIconEntries } from "../headers/dib-header.ts";
import { shownPath } from "../image-file.ts";
import { detectImageFormat, formatNames, withArticle } from "../image-format.ts";
import { assertDecodable, type InspectedImage, readImageHeader } from "../inspect-image.ts";
import { readBmp, readIconBitmap } from "./dib-pixels.ts";
import { reducePixels, type RgbaImage, writePng } from "./reduce-pixels.ts";
import { renderSvg } from "./render-svg.ts";
import { numberOf, readTiffPage, soundTiff } from "./sound-tiff.ts";

/** Bytes that `Bun.Image` reads, and the conversions that produced them. */
export interface ReadableSource {
  readonly bytes: Uint8Array;
  readonly changes: readonly string[];
}

/**
 * Brings any known format to one that `Bun.Image` reads on every system.
 * @throws AppError `usage` for damaged files, `unsupported` where this system has no decoder
 */
export async function readableSource(
  path: string,
  bytes: Uint8Array,
  { format, header }: InspectedImage,
  searchPath: string,
): Promise<ReadableSource> {
  switch (format) {
    case "png":
    case "jpeg":
    case "gif":
      return { bytes, changes: header.isAnimated ? [firstFrame] : [] };
    case "webp":
      return header.isAnimated
        ? { bytes: firstWebpFrame(bytes) ?? bytes, changes: [firstFrame] }
        : { bytes, changes: [] };
    case "bmp":
      return converted(path, "BMP", () => readBmp(viewOf(bytes)));
    case "ico":
      return readIcon(path, bytes);
    case "tiff":
      return converted(path, "TIFF", () => readTiff(bytes));
    case "avif":
      return converted(path, "AVIF", () => readAvif(bytes));
    case "heic":
      return readBySystem(path, bytes, formatNames[format]);
    case "svg":
      return {
        bytes: await renderSvg(path, bytes, header, searchPath),
        changes: ["rendered"],
      };
  }
}

const firstFrame = "first frame of an animation";

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The largest picture that can be read. */
function readIcon(path: string, bytes: Uint8Array): ReadableSource {
  const entries = readIconEntries(viewOf(bytes));
  const changes = entries.length > 1 ? [`the largest of ${entries.length} pictures`] : [];
  const problems: string[] = [];
  for (const { offset, length } of entries) {
    try {
      const entry = bytes.subarray(offset, offset + length);
      return { bytes: readIconPicture(path, entry), changes };
    } catch (error) {
      if (error instanceof AppError) throw error;
      problems.push(messageOf(error));
    }
  }
  throw damaged(path, "ICO", problems[0] ?? "it contains no picture");
}

function readIconPicture(path: string, entry: Uint8Array): Uint8Array {
  if (detectImageFormat(entry) !== "png") {
    return writePng(readIconBitmap(viewOf(entry)));
  }
  const header = readImageHeader("png", entry);
  if (header === undefined) throw new Error("a picture in it is incomplete");
  // The directory says at most 256 × 256; the picture itself may say otherwise.
  assertDecodable(path, "ICO", header.width, header.height);
  return entry;
}

async function converted(
  path: string,
  name: string,
  read: () => RgbaImage | Promise<RgbaImage>,
): Promise<ReadableSource> {
  try {
    return { bytes: writePng(reducePixels(await read())), changes: [] };
  } catch (error) {
    throw error instanceof AppError ? error : damaged(path, name, messageOf(error));
  }
}

async function readBySystem(
  path: string,
  bytes: Uint8Array,
  name: string,
): Promise<ReadableSource> {
  try {
    return { bytes: await new Bun.Image(bytes).png().bytes(), changes: [] };
  } catch (error) {
    if (systemCodeOf(error) !== "ERR_IMAGE_FORMAT_UNSUPPORTED")
      throw damaged(path, name, messageOf(error));
    throw new AppError(
      "unsupported",
      `${shownPath(path)} is ${withArticle(name)} image, and this system has no decoder for it. ` +
        `Convert it to PNG or JPEG first, for instance with heif-convert or ImageMagick.`,
      { cause: error },
    );
  }
}

export function damaged(path: string, name: string, reason: string): AppError {
  return new AppError(
    "usage",
    `${shownPath(path)} is ${withArticle(name)} image that cannot be decoded: ${reason}.`,
  );
}

/** The pixels of an AVIF, by libavif in WebAssembly. @throws Error when it cannot be decoded */
async function readAvif(bytes: Uint8Array): Promise<RgbaImage> {
  const { default: decode, init } = await import("@jsquash/avif/decode.js");
  const file = await Bun.file(wasmFile).bytes();
  await init(await WebAssembly.compile(isCompiled ? Bun.zstdDecompressSync(file) : file));
  const image = await decode(bytes.slice().buffer);
  if (image === null) throw new Error("the decoder gave up");
  const { width, height, data } = image;
  return { width, height, pixels: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

/** With fewer pixels, memory that is not used any more is not worth a collection. */
const pixelsKept = 4_000_000;

/** Values of the tag that gives the meaning of the samples. */
const inks = 5;

/** The first page of a TIFF. @throws Error when it cannot be decoded */
export async function readTiff(bytes: Uint8Array): Promise<RgbaImage> {
  const { default: utif } = await import("utif2");
  // The library asks it for something that it then does without.
  Reflect.set(globalThis, "window", {});
  const tags = readTiffPage(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `decodeImage` adds the members that its own type asks for
  const page = tags as Parameters<typeof utif.decodeImage>[1];
  utif.decodeImage(wholeBuffer(soundTiff(tags, bytes)), page);
  const { width, height } = page;
  // The decompressed bytes are as large as those that the next step allocates.
  if (width * height > pixelsKept) Bun.gc(true);
  const pixels = utif.toRGBA8(page);
  if (pixels.length !== width * height * 4) throw new Error("its pixel data is incomplete");
  // Of four inks without alpha, the library looks for the alpha of the last pixel behind the end.
  if (numberOf(tags, 262) === inks && numberOf(tags, 277) === 4) pixels.fill(255, -1);
  return { width, height, pixels };
}

/** A buffer of these bytes alone. */
function wholeBuffer(bytes: Uint8Array): ArrayBuffer {
  const { buffer } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length;
  return isWhole ? buffer : bytes.slice().buffer;
}

const chunksAt = 12;
/** Position, size, duration and flags in front of a frame's own chunks. */
const frameHeadBytes = 16;
const sizeAt = 6;
/** Says that an extended file has transparency. */
const alphaFlag = 0x10;

/**
 * The first frame of an animated WebP as a file of its own: decoders of still images do not read animations.
 * Undefined when there is none.
 */
function firstWebpFrame(file: Uint8Array): Uint8Array | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const frame = find(webpChunks(view, chunksAt, file.length), "ANMF");
  if (frame === undefined) return undefined;
  const end = Math.min(frame.offset + frame.length, file.length);
  const chunks = [...webpChunks(view, frame.offset + frameHeadBytes, end)];
  const picture = find(chunks, "VP8L") ?? find(chunks, "VP8 ");
  if (picture === undefined) return undefined;
  const alpha = picture.name === "VP8 " ? find(chunks, "ALPH") : undefined;
  const size = file.subarray(frame.offset + sizeAt, frame.offset + sizeAt + 6);
  const parts =
    alpha === undefined
      ? [chunkOf(file, picture)]
      : [
          framed("VP8X", Buffer.concat([Buffer.from([alphaFlag, 0, 0, 0]), size])),
          chunkOf(file, alpha),
          chunkOf(file, picture),
        ];
  return framed("RIFF", Buffer.concat([Buffer.from("WEBP"), ...parts]));
}

function find(chunks: Iterable<WebpChunk>, name: string): WebpChunk | undefined {
  for (const chunk of chunks) if (chunk.name === name) return chunk;
  return undefined;
}

function chunkOf(file: Uint8Array, { name, offset, length }: WebpChunk): Uint8Array {
  return framed(name, file.subarray(offset, offset + length));
}

/** A chunk, padded to an even length. */
function framed(name: string, data: Uint8Array): Uint8Array {
  const head = Buffer.from(`${name}....`, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}
