import { fourCharacters, type ImageHeader, stillHeader } from "./still.ts";

/** Boxes that hold boxes, and the bytes between their own header and the first of those. */
const containers: ReadonlyMap<string, number> = new Map([
  ["meta", 4],
  ["iprp", 0],
  ["ipco", 0],
]);

/** As many boxes as are looked at: a hostile file may have millions. */
const boxesMax = 2_000;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** AVIF and HEIC (ISO/IEC 23008-12): the largest `ispe` property is the size of the picture, the rest are thumbnails. */
export function readIsoHeader(bytes: DataView): ImageHeader {
  const sizes: Size[] = [];
  const isComplete = walkBoxes(bytes, sizes);
  const largest = sizes.reduce(
    (best, size) => (size.width * size.height > best.width * best.height ? size : best),
    { width: 0, height: 0 },
  );
  return stillHeader(largest.width, largest.height, { isComplete });
}

/** Collects the sizes; false when a box reaches past the end. */
function walkBoxes(bytes: DataView, sizes: Size[]): boolean {
  let at = 0;
  for (let seen = 0; seen < boxesMax && at + 8 <= bytes.byteLength; seen++) {
    const length = bytes.getUint32(at);
    const name = fourCharacters(bytes, at + 4);
    if (name === "ispe") {
      sizes.push({ width: bytes.getUint32(at + 12), height: bytes.getUint32(at + 16) });
    }
    const inside = containers.get(name);
    if (inside !== undefined) at += 8 + inside;
    // Zero: to the end of the file. One: a length of 64 bits follows.
    else if (length === 0) return true;
    else if (length === 1) at += Number(bytes.getBigUint64(at + 8)) || 16;
    else at += Math.max(8, length);
  }
  return at <= bytes.byteLength;
}
