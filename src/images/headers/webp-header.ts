import type { ImageHeader } from "../image-header.ts";
import { fourCharacters, stillHeader } from "./still.ts";

/** WebP (RFC 9649): the first chunk says which of the three forms it is. */
export function readWebpHeader(bytes: DataView): ImageHeader {
  const isComplete = bytes.getUint32(4, true) + 8 <= bytes.byteLength;
  switch (fourCharacters(bytes, 12)) {
    case "VP8 ":
      return stillHeader(bytes.getUint16(26, true) & 0x3fff, bytes.getUint16(28, true) & 0x3fff, {
        isComplete,
      });
    case "VP8L": {
      const packed = bytes.getUint32(21, true);
      const height = ((packed >>> 14) & 0x3fff) + 1;
      return stillHeader((packed & 0x3fff) + 1, height, { isComplete });
    }
    case "VP8X": {
      const flags = bytes.getUint8(20);
      return stillHeader(uint24(bytes, 24) + 1, uint24(bytes, 27) + 1, {
        isAnimated: (flags & 0x02) !== 0,
        isComplete,
      });
    }
    default:
      return stillHeader(0, 0);
  }
}

function uint24(bytes: DataView, offset: number): number {
  return bytes.getUint16(offset, true) | (bytes.getUint8(offset + 2) << 16);
}
