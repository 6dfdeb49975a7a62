import { imageLongEdgeMax } from "../image-limits.ts";
import type { RgbaImage } from "./png-writer.ts";

/**
 * The picture in a size that is at least that of a result: each pixel the mean of a square of them. Written out whole, 100
 * megapixels would take a gigabyte more on their way to the scaler.
 */
export function reducePixels(image: RgbaImage): RgbaImage {
  const factor = Math.floor(Math.max(image.width, image.height) / imageLongEdgeMax);
  if (factor < 2) return image;
  const width = Math.ceil(image.width / factor);
  const height = Math.ceil(image.height / factor);
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      writeMean(image, x * factor, y * factor, factor, pixels, (y * width + x) * 4);
    }
  }
  return { width, height, pixels };
}

/** The mean of a square, smaller at the edges. Colours are weighted by their opacity. */
function writeMean(
  { width, height, pixels }: RgbaImage,
  left: number,
  top: number,
  edge: number,
  out: Uint8Array,
  at: number,
): void {
  const right = Math.min(left + edge, width);
  const bottom = Math.min(top + edge, height);
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let y = top; y < bottom; y++) {
    for (let from = (y * width + left) * 4; from < (y * width + right) * 4; from += 4) {
      const seen = pixels[from + 3] ?? 0;
      red += (pixels[from] ?? 0) * seen;
      green += (pixels[from + 1] ?? 0) * seen;
      blue += (pixels[from + 2] ?? 0) * seen;
      alpha += seen;
    }
  }
  if (alpha === 0) return;
  out[at] = Math.round(red / alpha);
  out[at + 1] = Math.round(green / alpha);
  out[at + 2] = Math.round(blue / alpha);
  out[at + 3] = Math.round(alpha / ((right - left) * (bottom - top)));
}
