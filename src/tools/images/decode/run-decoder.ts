import { AppError, failureOf, messageOf } from "../../../base/errors.ts";
import { replyLine, writeReply } from "../../../base/process-reply.ts";
import { readImageFile, shownPath } from "../image-file.ts";
import {
  formatNames,
  imageFileBytesMax,
  imageLongEdgeMax,
  imagePixelsMax,
  imageResultBytesMax,
} from "../image-format.ts";
import { inspectImage } from "../inspect-image.ts";
import type { DecoderReply } from "./decoder-reply.ts";
import { damaged, readableSource } from "./readable-source.ts";
import { watchProcess } from "./watch-process.ts";

/**
 * 100 megapixels take 400 MB decoded, and as much again where a decoder hands its pixels over. Address space cannot be
 * limited (the engine reserves far more than it uses), so the process watches its resident memory.
 */
const residentBytesMax = 1_500_000_000;
/** The parent process waits for less; this limit holds when the parent is gone. */
const decodeMsMax = 15_000;

/** The decoding process, from its argument to its end. */
export async function runDecoder(path: string | undefined, searchPath: string): Promise<number> {
  silenceConsole();
  const endWatch = watchProcess({
    residentBytesMax,
    msMax: decodeMsMax,
    tooLarge: tooLargeReply(path),
  });
  const output = await outputOf(path, searchPath);
  endWatch();
  try {
    writeReply(output);
    return 0;
  } catch {
    // The parent process has stopped reading.
    return 1;
  }
}

/** The output of libraries would end up in the reply. */
function silenceConsole(): void {
  for (const name of ["debug", "error", "info", "log", "warn"] as const) {
    console[name] = () => undefined;
  }
}

async function outputOf(path: string | undefined, searchPath: string): Promise<Uint8Array> {
  try {
    if (path === undefined) throw new AppError("usage", "No file was given.");
    const { bytes, ...image } = await decodeImage(path, searchPath);
    const reply = { ok: true, bytes: bytes.length, ...image } satisfies DecoderReply;
    return Buffer.concat([Buffer.from(replyLine(reply)), bytes]);
  } catch (error) {
    return Buffer.from(replyLine({ ok: false, ...failureOf(error) } satisfies DecoderReply));
  }
}

function tooLargeReply(path = ""): string {
  const message = `${shownPath(path)} takes too much memory to decode. Make a smaller copy.`;
  return replyLine({ ok: false, code: "limit", message } satisfies DecoderReply);
}

interface DecodedImage extends FittedImage {
  /** The changes made to it, in order. */
  readonly changes: readonly string[];
}

/**
 * Reads, decodes and fits one image. Runs in a process of its own, which may die of it.
 * @param searchPath folders of programs that render SVG, as in `PATH`
 * @throws AppError that names the fault of the file
 */
export async function decodeImage(path: string, searchPath: string): Promise<DecodedImage> {
  const { bytes } = readImageFile(path, imageFileBytesMax);
  const inspected = inspectImage(path, bytes);
  const { format, header } = inspected;
  const name = formatNames[format];
  const source = await readableSource(path, bytes, inspected, searchPath);
  try {
    const fitted = await fitImage(source.bytes, format === "jpeg", header.orientation);
    const isTurned = header.orientation >= 5;
    const [width, height] = isTurned
      ? [header.height, header.width]
      : [header.width, header.height];
    // By the long edge: the directory of an icon has no exact sizes.
    const isSmaller = Math.max(fitted.width, fitted.height) < Math.max(width, height);
    const changes = [
      ...source.changes,
      ...(header.orientation > 1 ? ["turned upright"] : []),
      ...(isSmaller ? [`scaled down from ${width} × ${height}`] : []),
      ...rewritten(`image/${format}`, fitted, bytes.length),
    ];
    return { ...fitted, changes };
  } catch (error) {
    throw error instanceof AppError ? error : damaged(path, name, messageOf(error));
  }
}

/** A picture that keeps its type may still have lost quality to fit. */
function rewritten(type: string, fitted: FittedImage, bytes: number): string[] {
  if (type !== fitted.mimeType) {
    return [`converted to ${fitted.mimeType.slice("image/".length).toUpperCase()}`];
  }
  return bytes > imageResultBytesMax ? ["recompressed"] : [];
}

interface FittedImage {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
}

type Encoding = "image/png" | "image/jpeg" | "image/webp";

/** One way to write the picture; qualities from the best. */
interface Attempt {
  readonly mimeType: Encoding;
  readonly quality?: number;
}

/** Photographs come as JPEG; anything else is first tried without loss. */
const photoAttempts: readonly Attempt[] = [85, 70, 55].map((quality) => ({
  mimeType: "image/jpeg",
  quality,
}));
const drawingAttempts: readonly Attempt[] = [
  { mimeType: "image/png" },
  { mimeType: "image/webp", quality: 90 },
  { mimeType: "image/webp", quality: 75 },
];

const shrinkFactor = 0.75;
/** 1568 px become 156: whatever is left fits. */
const shrinkStepsMax = 8;

/** The turn that makes a picture upright, by its EXIF orientation: degrees clockwise, then a mirror. */
const uprights: Readonly<Record<number, readonly [degrees: number, mirror?: "flip" | "flop"]>> = {
  2: [0, "flop"],
  3: [180],
  4: [0, "flip"],
  5: [90, "flop"],
  6: [90],
  7: [90, "flip"],
  8: [270],
};

/**
 * Scales a picture to the long edge and size that a result may have.
 * @param orientation of EXIF; the picture is turned upright by it, whatever its bytes say of it
 * @throws the error of `Bun.Image` for bytes that it cannot decode
 */
async function fitImage(
  source: Uint8Array,
  isPhoto: boolean,
  orientation = 1,
): Promise<FittedImage> {
  let edge = imageLongEdgeMax;
  // Decoded once; the attempts read the small copy.
  const small = await upright(scaled(source, edge), orientation)
    .png({ compressionLevel: 1 })
    .bytes();
  for (let step = 0; ; step++) {
    for (const attempt of isPhoto ? photoAttempts : drawingAttempts) {
      const image = scaled(small, edge);
      const bytes = await encoded(image, attempt).bytes();
      if (bytes.length <= imageResultBytesMax || step === shrinkStepsMax) {
        return { bytes, mimeType: attempt.mimeType, width: image.width, height: image.height };
      }
    }
    edge = Math.floor(edge * shrinkFactor);
  }
}

function upright(image: Bun.Image, orientation: number): Bun.Image {
  const [degrees, mirror] = uprights[orientation] ?? [0];
  if (degrees !== 0) image.rotate(degrees);
  return mirror === undefined ? image : image[mirror]();
}

function scaled(bytes: Uint8Array, edge: number): Bun.Image {
  const image = new Bun.Image(bytes, { maxPixels: imagePixelsMax, autoOrient: false });
  return image.resize(edge, edge, { fit: "inside", withoutEnlargement: true });
}

function encoded(image: Bun.Image, { mimeType, quality = 85 }: Attempt): Bun.Image {
  switch (mimeType) {
    case "image/png":
      return image.png({ compressionLevel: 7 });
    case "image/jpeg":
      return image.jpeg({ quality });
    case "image/webp":
      return image.webp({ quality });
  }
}
