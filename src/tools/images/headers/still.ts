import type { ImageHeader } from "../image-header.ts";

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
