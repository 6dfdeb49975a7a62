import { deflateSync } from "node:zlib";

import { writePng } from "../../../src/tools/images/decode/reduce-pixels.ts";
import {
  fields,
  iconBitmap,
  noise,
  sampleAvif,
  sampleBmp,
  sampleGif,
  sampleIcon,
  samplePng,
  sampleSvg,
  sampleTiff,
  slope,
  withOrientation,
} from "./sample-images.ts";
import { animatedWebp, greyTiff, printTiff } from "./unusual-images.ts";

/** One file of each format, some that are passed on and some that have to be decoded. */
async function wholeImages(): Promise<readonly Uint8Array[]> {
  const photo = writePng(slope(1_700, 300));
  const jpeg = await new Bun.Image(photo).jpeg({ quality: 90 }).bytes();
  return [
    samplePng(40, 30),
    photo,
    writePng(noise(500, 400)),
    jpeg,
    withOrientation(jpeg, 6),
    await new Bun.Image(photo).webp({ quality: 80 }).bytes(),
    await new Bun.Image(samplePng(60, 40)).webp({ lossless: true }).bytes(),
    sampleGif(1_700, 10, 3),
    sampleBmp(fields(50, 40)),
    sampleIcon([
      { edge: 16, bytes: iconBitmap(fields(16, 16)) },
      { edge: 32, bytes: samplePng(32, 32) },
    ]),
    await sampleTiff(),
    await sampleAvif(),
    new TextEncoder().encode(sampleSvg),
    animatedWebp(await new Bun.Image(photo).webp({ quality: 80 }).bytes(), 1_700, 300),
    greyTiff(deflateSync(Buffer.alloc(256)), [{ tag: 259, value: 8 }]),
    printTiff(),
  ];
}

/**
 * `count` files that are images with something wrong: bytes changed, cut off, doubled, or moved. The same for the same seed.
 */
export async function damagedImages(count: number, seed: number): Promise<Uint8Array[]> {
  const wholes = await wholeImages();
  const random = randomNumbers(seed);
  return Array.from({ length: count }, (_, index) => {
    const whole = wholes[index % wholes.length] ?? new Uint8Array();
    return damage(Buffer.from(whole), random);
  });
}

function damage(bytes: Buffer, random: (max: number) => number): Uint8Array {
  // Most of what matters stands in front.
  const somewhere = (): number =>
    random(2) === 0 ? random(Math.min(64, bytes.length)) : random(bytes.length);
  for (let change = 1 + random(8); change > 0; change--) {
    const at = somewhere();
    bytes[at] = random(3) === 0 ? 255 : random(256);
  }
  switch (random(5)) {
    case 0:
      return bytes.subarray(0, random(bytes.length));
    case 1:
      return Buffer.concat([bytes, bytes.subarray(somewhere())]);
    case 2: {
      const [from, to] = [somewhere(), somewhere()];
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
    }
    default:
      return bytes;
  }
}

/** Numbers below `max` in an order that the seed decides (mulberry32). */
function randomNumbers(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * max);
  };
}
