import { readExifOrientation } from "./exif-orientation.ts";
import { type ImageHeader, stillHeader } from "./still.ts";

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
