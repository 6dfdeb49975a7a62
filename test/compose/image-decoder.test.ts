import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AppError } from "../../src/base/errors.ts";
import { detectImageFormat } from "../../src/tools/images/image-format.ts";
import { readImageHeader } from "../../src/tools/images/inspect-image.ts";
import { writePng } from "../../src/tools/images/decode/reduce-pixels.ts";
import { ImageDecoder } from "../../src/compose/own-process.ts";
import type { ConvertedImage } from "../../src/tools/web-services.ts";
import { SupervisorHarness } from "../commands/background/supervisor-harness.ts";
import { until } from "../commands/process/until.ts";
import {
  animatedWebp,
  printTiff,
  tiffWithOrientation,
  upright,
  withPngOrientation,
  withWebpOrientation,
} from "../tools/images/unusual-images.ts";
import {
  bitmapPixels,
  fields,
  iconBitmap,
  noise,
  sampleAvif,
  sampleBmp,
  sampleGif,
  sampleIcon,
  samplePng,
  sampleTiff,
  slope,
  withOrientation,
} from "../tools/images/sample-images.ts";
import { readPng } from "../tools/images/read-png.ts";
import { bundledProgram } from "./bundled-program.ts";

const folder = mkdtempSync(join(tmpdir(), "scorpiox-decoder-"));
let harness: SupervisorHarness;
let decoder: ImageDecoder;

beforeAll(() => {
  harness = new SupervisorHarness();
  decoder = new ImageDecoder(harness.supervisor, bundledProgram().command);
});

afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const tiff = await sampleTiff();
let files = 0;
const fileOf = (bytes: Uint8Array): string => {
  const path = join(folder, `image-${++files}`);
  writeFileSync(path, bytes);
  return path;
};
const convert = (bytes: Uint8Array): Promise<ConvertedImage> =>
  decoder.convert({ path: fileOf(bytes) }, new AbortController().signal);

const pngOf = (image: ConvertedImage): ReturnType<typeof readPng> =>
  readPng(Buffer.from(image.base64, "base64"));

/** The whole of it, its bytes excepted. */
const factsOf = ({ mimeType, width, height, changes }: ConvertedImage): unknown[] => [
  mimeType,
  width,
  height,
  ...changes,
];

/** Its long edge exceeds the bound, and there are few pixels besides. */
const widePng = writePng(slope(2_000, 50));
const losslessWebp = await new Bun.Image(widePng).webp({ lossless: true }).bytes();
const lossyWebp = await new Bun.Image(widePng).webp({ quality: 80 }).bytes();

describe("ImageDecoder", () => {
  test.each([
    ["BMP", sampleBmp(fields(6, 4)), fields(6, 4), []],
    ["TIFF", tiff, fields(16, 8), []],
    ["ICO with a PNG", sampleIcon([{ edge: 6, bytes: samplePng(6, 4) }]), fields(6, 4), []],
    [
      "ICO with bitmaps",
      sampleIcon([
        { edge: 8, bytes: iconBitmap(fields(8, 8)) },
        { edge: 16, bytes: iconBitmap(fields(16, 16)) },
      ]),
      fields(16, 16),
      ["the largest of 2 pictures"],
    ],
  ])("converts %s to a PNG of the same pixels", async (_format, bytes, expected, changes) => {
    const image = await convert(bytes);
    const { width, height } = expected;
    expect(factsOf(image)).toEqual(["image/png", width, height, ...changes, "converted to PNG"]);
    expect(pngOf(image)).toEqual(expected);
  });

  test("keeps what is transparent in an icon", async () => {
    const half = fields(8, 8, 128);
    const image = await convert(sampleIcon([{ edge: 8, bytes: iconBitmap(half) }]));
    expect(pngOf(image)).toEqual(half);
    expect(bitmapPixels(iconBitmap(half))).toEqual(half);
  });

  test("converts AVIF, which loses a little", async () => {
    const image = await convert(await sampleAvif());
    expect(factsOf(image)).toEqual(["image/png", 64, 32, "converted to PNG"]);
    const { pixels } = pngOf(image);
    const distance = slope(64, 32).pixels.reduce(
      (sum, value, at) => sum + Math.abs(value - (pixels[at] ?? 0)),
      0,
    );
    expect(distance / pixels.length).toBeLessThan(5);
  });

  test("scales down what is too long, and keeps its shape", async () => {
    const image = await convert(writePng(fields(3_200, 100)));
    const [mimeType, width, height, ...changes] = factsOf(image);
    expect([width, height, mimeType, changes]).toEqual([
      1_568,
      49,
      "image/png",
      ["scaled down from 3200 × 100"],
    ]);
  });

  test("compresses a photograph until it fits", async () => {
    const photo = await new Bun.Image(writePng(noise(1_400, 1_300))).jpeg({ quality: 100 }).bytes();
    const image = await convert(photo);
    const bytes = Buffer.from(image.base64, "base64");
    expect(photo.length).toBeGreaterThan(700_000);
    expect(bytes.length).toBeLessThanOrEqual(700_000);
    expect(detectImageFormat(bytes)).toBe("jpeg");
    expect(readImageHeader("jpeg", bytes)).toMatchObject({
      width: image.width,
      height: image.height,
    });
    expect(image.changes.at(-1)).toBe("recompressed");
  });

  test("turns a photograph upright when it rewrites it", async () => {
    const lying = await new Bun.Image(widePng).jpeg().bytes();
    expect(factsOf(await convert(withOrientation(lying, 6)))).toEqual([
      "image/jpeg",
      39,
      1_568,
      "turned upright",
      "scaled down from 50 × 2000",
    ]);
  });

  test.each([2, 3, 4, 5, 6, 7, 8])(
    "turns a TIFF of orientation %i upright",
    async (orientation) => {
      const image = await convert(tiffWithOrientation(fields(16, 8), orientation));
      expect(pngOf(image)).toEqual(upright(fields(16, 8), orientation));
      expect(image.changes).toEqual(["turned upright", "converted to PNG"]);
    },
  );

  test.each([
    ["PNG", withPngOrientation(widePng, 6), "image/png"],
    ["WebP", withWebpOrientation(losslessWebp, 6), "image/png"],
  ])("turns a %s upright when it rewrites it", async (_format, bytes, mimeType) => {
    expect(factsOf(await convert(bytes)).slice(0, 4)).toEqual([
      mimeType,
      39,
      1_568,
      "turned upright",
    ]);
  });

  test.each([
    ["WebP", animatedWebp(losslessWebp, 2_000, 50)],
    ["WebP with lost detail", animatedWebp(lossyWebp, 2_000, 50)],
  ])("takes the first frame of an animated %s that is too large", async (_format, bytes) => {
    expect(factsOf(await convert(bytes))).toEqual([
      "image/png",
      1_568,
      39,
      "first frame of an animation",
      "scaled down from 2000 × 50",
      "converted to PNG",
    ]);
  });

  test("says that a thin picture was scaled down too", async () => {
    const image = await convert(samplePng(1, 3_136));
    expect(factsOf(image)).toEqual(["image/png", 1, 1_568, "scaled down from 1 × 3136"]);
  });

  test("converts a TIFF in the colours of print", async () => {
    const image = await convert(printTiff());
    expect([...pngOf(image).pixels.subarray(0, 8)]).toEqual([0, 255, 255, 255, 255, 0, 255, 255]);
  });

  test("takes the first frame of an animation that is too large", async () => {
    expect(factsOf(await convert(sampleGif(2_000, 20, 3)))).toEqual([
      "image/png",
      1_568,
      16,
      "first frame of an animation",
      "scaled down from 2000 × 20",
      "converted to PNG",
    ]);
  });

  test("refuses an icon whose picture is larger than its directory says", async () => {
    const lie = Buffer.from(samplePng());
    lie.writeUInt32BE(30_000, 16);
    lie.writeUInt32BE(30_000, 20);
    const icon = sampleIcon([{ edge: 16, bytes: lie }]);
    expect(convert(icon)).rejects.toThrow("the limit is 100 megapixels");
  });

  test("says what is wrong with a picture whose pixels are damaged", async () => {
    const broken = Buffer.from(sampleIcon([{ edge: 6, bytes: samplePng() }]));
    broken.fill(0x55, broken.length - 100, broken.length - 40);
    expect(convert(broken)).rejects.toThrow(AppError);
    expect(convert(broken)).rejects.toThrow("is an ICO image that cannot be decoded");
  });

  test("is ended when nobody wants the picture any more", async () => {
    const endless = new ImageDecoder(harness.supervisor, ["sh", "-c", "exec sleep 1000"]);
    const controller = new AbortController();
    const pending = endless.convert({ path: "/x" }, controller.signal);
    await until(() => [...harness.launcher.live].length === 1);
    controller.abort();
    expect(await pending.catch(String)).toContain("cancelled");
    expect([...harness.launcher.live]).toEqual([]);
  });

  test("takes no more than two at a time, and all of them in the end", async () => {
    const bytes = sampleBmp(fields(6, 4));
    const images = await Promise.all(Array.from({ length: 4 }, () => convert(bytes)));
    expect(new Set(images.map(({ base64 }) => base64)).size).toBe(1);
  });

  test("a call that waits for its turn is cancelled at once", async () => {
    // Stands for decoders that never end.
    const busy = new ImageDecoder({ runProgram: () => new Promise(() => undefined) }, []);
    const { signal } = new AbortController();
    for (let call = 0; call < 2; call++) void busy.convert({ path: "/x" }, signal);
    const controller = new AbortController();
    const queued = busy.convert({ path: "/x" }, controller.signal);
    controller.abort();
    expect(await queued.catch((error: unknown) => error)).toEqual(
      new AppError("cancelled", "The call was cancelled."),
    );
  });

  test("leaves nothing beside the files that it was given", () => {
    expect(readdirSync(folder).length).toBe(files);
  });
});
