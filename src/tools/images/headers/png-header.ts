import { readExifOrientation } from "./exif-orientation.ts";
import { fourCharacters, type ImageHeader, stillHeader } from "./still.ts";

const signatureBytes = 8;
/** Length, name and checksum of a chunk. */
const chunkFrameBytes = 12;

/** PNG (ISO/IEC 15948): IHDR first, then chunks to IEND. APNG has `acTL` before the first IDAT. */
export function readPngHeader(bytes: DataView): ImageHeader {
  if (fourCharacters(bytes, signatureBytes + 4) !== "IHDR") return stillHeader(0, 0);
  let isAnimated = false;
  let orientation = 1;
  let hasPixels = false;
  let isComplete = false;
  for (let at = signatureBytes; at + chunkFrameBytes <= bytes.byteLength;) {
    const name = fourCharacters(bytes, at + 4);
    const length = bytes.getUint32(at);
    const next = at + chunkFrameBytes + length;
    if (name === "acTL") isAnimated = true;
    if (name === "IDAT") hasPixels = true;
    if (name === "eXIf") orientation = readExifOrientation(bytes, at + 8, length) ?? orientation;
    if (name === "IEND") {
      isComplete = hasPixels && next <= bytes.byteLength;
      break;
    }
    at = next;
  }
  const width = bytes.getUint32(signatureBytes + 8);
  const height = bytes.getUint32(signatureBytes + 12);
  return stillHeader(width, height, { isAnimated, orientation, isComplete });
}
