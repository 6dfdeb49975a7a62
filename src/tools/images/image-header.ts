import {
  readGifHeader,
  readJpegHeader,
  readPngHeader,
  readWebpHeader,
} from "./headers/common-formats.ts";
import { readIsoHeader, readSvgHeader, readTiffHeader } from "./headers/converted-formats.ts";
import { readBmpHeader, readIcoHeader } from "./headers/dib-header.ts";
import type { ImageHeader } from "./headers/still.ts";
import type { ImageFormat } from "./image-format.ts";

const readers: Readonly<Record<ImageFormat, (bytes: DataView) => ImageHeader>> = {
  png: readPngHeader,
  jpeg: readJpegHeader,
  gif: readGifHeader,
  webp: readWebpHeader,
  bmp: readBmpHeader,
  ico: readIcoHeader,
  tiff: readTiffHeader,
  avif: readIsoHeader,
  heic: readIsoHeader,
  svg: readSvgHeader,
};

/**
 * Reads the header of a whole file. Undefined when the file ends before its header does, or the header
 * says nothing of a size. Every read is checked against the end of the file.
 */
export function readImageHeader(format: ImageFormat, bytes: Uint8Array): ImageHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const header = readers[format](view);
    return header.width > 0 && header.height > 0 ? header : undefined;
  } catch (error) {
    // A read past the end of the view.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
