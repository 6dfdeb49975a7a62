import { type ImageHeader, stillHeader } from "./still.ts";

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
