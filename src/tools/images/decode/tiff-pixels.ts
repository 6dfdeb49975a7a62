import type { RgbaImage } from "./png-writer.ts";
import { soundTiff } from "./sound-tiff.ts";
import { numberOf, readTiffPage } from "./tiff-page.ts";

/** Values of the tag that gives the meaning of the samples. */
const inks = 5;

/** The first page of a TIFF. @throws Error when it cannot be decoded */
export async function readTiff(bytes: Uint8Array): Promise<RgbaImage> {
  const { default: utif } = await import("utif2");
  // The library asks it for something that it then does without.
  Reflect.set(globalThis, "window", {});
  const tags = readTiffPage(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const page = tags as unknown as Parameters<typeof utif.decodeImage>[1];
  utif.decodeImage(wholeBuffer(soundTiff(tags, bytes)), page);
  const { width, height } = page;
  // What was unfolded is as large as what comes now.
  Bun.gc(true);
  const pixels = utif.toRGBA8(page);
  if (pixels.length !== width * height * 4) throw new Error("its pixel data is incomplete");
  // Of four inks without alpha, the library looks for the alpha of the last pixel behind the end.
  if (numberOf(tags, 262) === inks && numberOf(tags, 277) === 4) pixels.fill(255, -1);
  return { width, height, pixels };
}

/** A buffer of these bytes alone. */
function wholeBuffer(bytes: Uint8Array): ArrayBuffer {
  const { buffer } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length;
  return isWhole ? buffer : bytes.slice().buffer;
}
