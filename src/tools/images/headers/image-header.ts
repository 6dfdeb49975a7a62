/** The facts in the header of an image, read without decoding a pixel. */
export interface ImageHeader {
  /** In pixels, as stored: before `orientation` is applied. */
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
  /** EXIF: 1 = upright, 5 to 8 = rotated by 90°. */
  readonly orientation: number;
  /** False when the file ends before the image does. */
  readonly isComplete: boolean;
}

/** A header of which only the size is special. */
export function stillHeader(
  width: number,
  height: number,
  more: Partial<ImageHeader> = {},
): ImageHeader {
  const usual = { isAnimated: false, orientation: 1, isComplete: true };
  return { width, height, ...usual, ...more };
}

/** Four characters of a chunk or box name. */
export function fourCharacters(bytes: DataView, offset: number): string {
  return String.fromCharCode(
    bytes.getUint8(offset),
    bytes.getUint8(offset + 1),
    bytes.getUint8(offset + 2),
    bytes.getUint8(offset + 3),
  );
}

const orientationTag = 0x0112;
/** More entries than any camera writes: the rest is not looked at. */
const entriesMax = 500;

/** The orientation (1 to 8) in an `Exif` segment of `length` bytes at `offset`; undefined when there is none. */
export function readExifOrientation(
  bytes: DataView,
  offset: number,
  length: number,
): number | undefined {
  // JPEG puts a name in front of the data; PNG and WebP have the data alone.
  const hasName = length >= 6 && fourCharacters(bytes, offset) === "Exif";
  const tiff = hasName ? offset + 6 : offset;
  const end = offset + length;
  if (tiff + 10 > end || !/^(?:II\*\0|MM\0\*)$/.test(fourCharacters(bytes, tiff))) return undefined;
  const isLittle = bytes.getUint16(tiff) === 0x4949;
  const directory = tiff + bytes.getUint32(tiff + 4, isLittle);
  if (directory + 2 > end) return undefined;
  const count = Math.min(bytes.getUint16(directory, isLittle), entriesMax);
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12;
    if (entry + 12 > end) return undefined;
    if (bytes.getUint16(entry, isLittle) !== orientationTag) continue;
    const value = bytes.getUint16(entry + 8, isLittle);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}
