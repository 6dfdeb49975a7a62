import { AppError } from "../../base/errors.ts";
import { describeFileKind } from "./file-kind.ts";
import { type ImageHeader } from "./headers/still.ts";
import { detectImageFormat, formatNames, type ImageFormat, withArticle } from "./image-format.ts";
import { readImageHeader } from "./image-header.ts";
import { imagePixelsMax } from "./image-limits.ts";
import { pngDamage } from "./png-damage.ts";
import { shownPath } from "./shown-path.ts";

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
