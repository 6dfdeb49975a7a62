import wasmFile from "@jsquash/avif/codec/dec/avif_dec.wasm" with { type: "file" };

import type { RgbaImage } from "./png-writer.ts";

/** The pixels of an AVIF, by libavif in WebAssembly. @throws Error when it cannot be decoded */
export async function readAvif(bytes: Uint8Array): Promise<RgbaImage> {
  const { default: decode, init } = await import("@jsquash/avif/decode.js");
  await init(await WebAssembly.compile(await Bun.file(wasmFile).arrayBuffer()));
  const image = await decode(bytes.slice().buffer);
  if (image === null) throw new Error("the decoder gave up");
  const { width, height, data } = image;
  return { width, height, pixels: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}
