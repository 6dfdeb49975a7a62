import type { RgbaImage } from "./png-writer.ts";
import { imagePixelsMax } from "../image-limits.ts";

/** The first page of a TIFF. @throws Error when it cannot be decoded */
export async function readTiff(bytes: Uint8Array): Promise<RgbaImage> {
  const { default: utif } = await import("utif2");
  const copy = bytes.slice().buffer;
  const [page] = utif.decode(copy);
  if (page === undefined) throw new Error("it has no page");
  utif.decodeImage(copy, page);
  const { width, height } = page;
  if (!(width > 0 && height > 0 && width * height <= imagePixelsMax))
    throw new Error("its size makes no sense");
  const pixels = utif.toRGBA8(page);
  if (pixels.length !== width * height * 4) throw new Error("its pixels are not whole");
  return { width, height, pixels };
}
