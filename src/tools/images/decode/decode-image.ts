import { AppError, messageOf } from "../../../base/errors.ts";
import { formatNames } from "../image-format.ts";
import { readImageFile } from "../image-file.ts";
import { imageFileBytesMax, imageResultBytesMax } from "../image-limits.ts";
import { inspectImage } from "../inspect-image.ts";
import { fitImage, type FittedImage } from "./fit-image.ts";
import { damaged, readableSource } from "./readable-source.ts";

export interface DecodedImage extends FittedImage {
  /** What was done to it, in order. */
  readonly changes: readonly string[];
}

/**
 * Reads, decodes and fits one image. Runs in a process of its own, which may die of it.
 * @param searchPath folders of programs that render SVG, as in `PATH`
 * @throws AppError with what is wrong with the file
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
