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
