import { inflateSync } from "node:zlib";

import type { RgbaImage } from "../../../src/tools/images/decode/reduce-pixels.ts";

/** The pixels of a PNG of 8 bits a channel without a palette, to hold against what went in. */
export function readPng(file: Uint8Array): RgbaImage {
  const bytes = Buffer.from(file);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const channels = new Map([
    [2, 3],
    [6, 4],
  ]).get(bytes[25] ?? -1);
  if (channels === undefined || bytes[24] !== 8) throw new Error("not a PNG of true colour");
  const data: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += bytes.readUInt32BE(at) + 12) {
    const isData = bytes.toString("latin1", at + 4, at + 8) === "IDAT";
    if (isData) data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  const rows = unfilter(inflateSync(Buffer.concat(data)), width * channels, height, channels);
  const pixels = new Uint8Array(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let channel = 0; channel < channels; channel++) {
      pixels[pixel * 4 + channel] = rows[pixel * channels + channel] ?? 0;
    }
  }
  return { width, height, pixels };
}

/** Undoes the five filters (PNG specification, section 9). */
function unfilter(data: Uint8Array, stride: number, height: number, step: number): Uint8Array {
  const out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x < step ? 0 : (out[y * stride + x - step] ?? 0);
      const up = y === 0 ? 0 : (out[(y - 1) * stride + x] ?? 0);
      const corner = x < step || y === 0 ? 0 : (out[(y - 1) * stride + x - step] ?? 0);
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
      out[y * stride + x] = (data[y * (stride + 1) + 1 + x] ?? 0) + (guesses[filter ?? 0] ?? 0);
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(estimate - value));
  if (a === undefined || b === undefined || c === undefined) return 0;
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
