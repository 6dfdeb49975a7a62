import { type ImageHeader, stillHeader } from "./still.ts";

const widthTag = 256;
const heightTag = 257;
const orientationTag = 274;
const shortType = 3;
const entriesMax = 4_096;

/** TIFF 6.0: the first directory. */
export function readTiffHeader(bytes: DataView): ImageHeader {
  const isLittle = bytes.getUint16(0) === 0x4949;
  const directory = bytes.getUint32(4, isLittle);
  const count = Math.min(bytes.getUint16(directory, isLittle), entriesMax);
  const values = new Map<number, number>();
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12;
    const isShort = bytes.getUint16(entry + 2, isLittle) === shortType;
    const value = isShort
      ? bytes.getUint16(entry + 8, isLittle)
      : bytes.getUint32(entry + 8, isLittle);
    values.set(bytes.getUint16(entry, isLittle), value);
  }
  const orientation = values.get(orientationTag) ?? 1;
  return stillHeader(values.get(widthTag) ?? 0, values.get(heightTag) ?? 0, {
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
  });
}
