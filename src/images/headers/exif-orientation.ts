import { fourCharacters } from "./still.ts";

const orientationTag = 0x0112;
/** More entries than any camera writes: the rest is not looked at. */
const entriesMax = 500;

/** The orientation (1 to 8) in an `Exif` segment of `length` bytes at `offset`; undefined when there is none. */
export function readExifOrientation(
  bytes: DataView,
  offset: number,
  length: number,
): number | undefined {
  if (length < 14 || fourCharacters(bytes, offset) !== "Exif") return undefined;
  const tiff = offset + 6;
  const isLittle = bytes.getUint16(tiff) === 0x4949;
  const directory = tiff + bytes.getUint32(tiff + 4, isLittle);
  if (directory + 2 > offset + length) return undefined;
  const count = Math.min(bytes.getUint16(directory, isLittle), entriesMax);
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12;
    if (entry + 12 > offset + length) return undefined;
    if (bytes.getUint16(entry, isLittle) !== orientationTag) continue;
    const value = bytes.getUint16(entry + 8, isLittle);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}
