import { imageLongEdgeMax, imagePixelsMax, imageResultBytesMax } from "../image-limits.ts";

export interface FittedImage {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
}

type Encoding = "image/png" | "image/jpeg" | "image/webp";

/** One way to write the picture; qualities from the best. */
interface Attempt {
  readonly mimeType: Encoding;
  readonly quality?: number;
}

/** Photographs come as JPEG; anything else is first tried without loss. */
const photoAttempts: readonly Attempt[] = [85, 70, 55].map((quality) => ({
  mimeType: "image/jpeg",
  quality,
}));
const drawingAttempts: readonly Attempt[] = [
  { mimeType: "image/png" },
  { mimeType: "image/webp", quality: 90 },
  { mimeType: "image/webp", quality: 75 },
];

const shrinkFactor = 0.75;
/** 1568 px become 156: whatever is left fits. */
const shrinkStepsMax = 8;

/** What turns a picture upright, by its EXIF orientation: degrees clockwise, then a mirror. */
const uprights: Readonly<Record<number, readonly [degrees: number, mirror?: "flip" | "flop"]>> = {
  2: [0, "flop"],
  3: [180],
  4: [0, "flip"],
  5: [90, "flop"],
  6: [90],
  7: [90, "flip"],
  8: [270],
};

/**
 * Scales a picture to the long edge and size that a result may have.
 * @param orientation of EXIF; the picture is turned upright by it, whatever its bytes say of it
 * @throws what `Bun.Image` throws for bytes that it cannot decode
 */
export async function fitImage(
  source: Uint8Array,
  isPhoto: boolean,
  orientation = 1,
): Promise<FittedImage> {
  let edge = imageLongEdgeMax;
  // Decoded once; the attempts read the small copy.
  const small = await upright(scaled(source, edge), orientation)
    .png({ compressionLevel: 1 })
    .bytes();
  for (let step = 0; ; step++) {
    for (const attempt of isPhoto ? photoAttempts : drawingAttempts) {
      const image = scaled(small, edge);
      const bytes = await encoded(image, attempt).bytes();
      if (bytes.length <= imageResultBytesMax || step === shrinkStepsMax) {
        return { bytes, mimeType: attempt.mimeType, width: image.width, height: image.height };
      }
    }
    edge = Math.floor(edge * shrinkFactor);
  }
}

function upright(image: Bun.Image, orientation: number): Bun.Image {
  const [degrees, mirror] = uprights[orientation] ?? [0];
  if (degrees !== 0) image.rotate(degrees);
  return mirror === undefined ? image : image[mirror]();
}

function scaled(bytes: Uint8Array, edge: number): Bun.Image {
  const image = new Bun.Image(bytes, { maxPixels: imagePixelsMax, autoOrient: false });
  return image.resize(edge, edge, { fit: "inside", withoutEnlargement: true });
}

function encoded(image: Bun.Image, { mimeType, quality = 85 }: Attempt): Bun.Image {
  switch (mimeType) {
    case "image/png":
      return image.png({ compressionLevel: 7 });
    case "image/jpeg":
      return image.jpeg({ quality });
    case "image/webp":
      return image.webp({ quality });
  }
}
