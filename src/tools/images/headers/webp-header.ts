import { readExifOrientation } from "./exif-orientation.ts";
import { fourCharacters, type ImageHeader, stillHeader } from "./still.ts";

/** Where the chunks begin, behind "RIFF", a length and "WEBP". */
const chunksAt = 12;
const pictures: ReadonlySet<string> = new Set(["VP8 ", "VP8L", "ANMF"]);

/** WebP (RFC 9649): the first chunk says which of the three forms it is. */
export function readWebpHeader(bytes: DataView): ImageHeader {
  const isComplete = hasPicture(bytes);
  switch (fourCharacters(bytes, chunksAt)) {
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
        orientation: orientationOf(bytes),
        isComplete,
      });
    }
    default:
      return stillHeader(0, 0);
  }
}

/** The whole file is there, and a picture in it. */
function hasPicture(bytes: DataView): boolean {
  const end = bytes.getUint32(4, true) + 8;
  if (end > bytes.byteLength) return false;
  for (const { name, offset, length } of webpChunks(bytes, chunksAt, end)) {
    if (pictures.has(name)) return offset + length <= end;
  }
  return false;
}

function orientationOf(bytes: DataView): number {
  for (const { name, offset, length } of webpChunks(bytes, chunksAt, bytes.byteLength)) {
    if (name === "EXIF") return readExifOrientation(bytes, offset, length) ?? 1;
  }
  return 1;
}

export interface WebpChunk {
  readonly name: string;
  /** Of its data. */
  readonly offset: number;
  readonly length: number;
}

/** The chunks from `from` on, also one that reaches beyond `end`. */
export function* webpChunks(bytes: DataView, from: number, end: number): Generator<WebpChunk> {
  for (let at = from; at + 8 <= end;) {
    const length = bytes.getUint32(at + 4, true);
    yield { name: fourCharacters(bytes, at), offset: at + 8, length };
    // Padded to an even length.
    at += 8 + length + (length % 2);
  }
}

function uint24(bytes: DataView, offset: number): number {
  return bytes.getUint16(offset, true) | (bytes.getUint8(offset + 2) << 16);
}
