import {
  fourCharacters,
  type ImageHeader,
  readExifOrientation,
  stillHeader,
} from "./image-header.ts";

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

const imageSeparator = 0x2c;
const extensionIntroducer = 0x21;
const trailer = 0x3b;

/** Bytes of a colour table, from the packed field that announces it. */
const tableBytes = (packed: number): number =>
  (packed & 0x80) === 0 ? 0 : 3 << ((packed & 7) + 1);

/**
 * GIF89a: the screen, then blocks to the trailer. More than one image is an animation; one that is larger than the
 * screen makes some decoders enlarge the screen, so its size is taken into account.
 */
export function readGifHeader(bytes: DataView): ImageHeader {
  let width = bytes.getUint16(6, true);
  let height = bytes.getUint16(8, true);
  let images = 0;
  let isComplete = false;
  let at = 13 + tableBytes(bytes.getUint8(10));
  while (at < bytes.byteLength) {
    const kind = bytes.getUint8(at);
    isComplete = kind === trailer;
    if (kind === imageSeparator && at + 10 <= bytes.byteLength) {
      images++;
      width = Math.max(width, bytes.getUint16(at + 1, true) + bytes.getUint16(at + 5, true));
      height = Math.max(height, bytes.getUint16(at + 3, true) + bytes.getUint16(at + 7, true));
      at = afterBlocks(bytes, at + 11 + tableBytes(bytes.getUint8(at + 9)));
    } else if (kind === extensionIntroducer && at + 4 <= bytes.byteLength) {
      at = afterBlocks(bytes, at + 2);
    } else break;
  }
  return stillHeader(width, height, {
    isAnimated: images > 1,
    isComplete: isComplete && images > 0,
  });
}

/** The offset after a chain of sub-blocks, or the end of the file. */
function afterBlocks(bytes: DataView, from: number): number {
  let at = from;
  while (at < bytes.byteLength) {
    const length = bytes.getUint8(at);
    at += 1 + length;
    if (length === 0) return at;
  }
  return bytes.byteLength;
}

/** Markers of ITU T.81 (B.1.1.3) that stand alone, without a length. */
const isStandalone = (marker: number): boolean =>
  marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/** SOF0 to SOF15 without DHT, JPG and DAC, which share their range. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

const startOfScan = 0xda;
const endOfImage = 0xd9;
const app1 = 0xe1;

/** JPEG: segments up to the first scan, without which there is no picture; then the end marker is looked for. */
export function readJpegHeader(bytes: DataView): ImageHeader {
  let width = 0;
  let height = 0;
  let orientation = 1;
  let at = 2;
  for (;;) {
    at = nextMarker(bytes, at);
    const marker = bytes.getUint8(at - 1);
    if (marker === endOfImage) return stillHeader(width, height, { isComplete: false });
    if (isStandalone(marker)) continue;
    const length = bytes.getUint16(at);
    if (isFrame(marker)) {
      height = bytes.getUint16(at + 3);
      width = bytes.getUint16(at + 5);
    }
    if (marker === app1)
      orientation = readExifOrientation(bytes, at + 2, length - 2) ?? orientation;
    at += Math.max(2, length);
    if (marker === startOfScan) {
      return stillHeader(width, height, { orientation, isComplete: hasEnd(bytes, at) });
    }
  }
}

/** The offset after the next marker's code; fill bytes (0xFF) may precede it. */
function nextMarker(bytes: DataView, from: number): number {
  let at = from;
  while (bytes.getUint8(at) !== 0xff) at++;
  while (bytes.getUint8(at) === 0xff) at++;
  return at + 1;
}

/** In scan data 0xFF is followed by 0x00, so that an end marker is one at any place. Looks from behind. */
function hasEnd(bytes: DataView, from: number): boolean {
  for (let at = bytes.byteLength - 2; at >= from; at--) {
    if (bytes.getUint8(at) === 0xff && bytes.getUint8(at + 1) === endOfImage) return true;
  }
  return false;
}

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
  /** The offset of its data. */
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
