import { type WebpChunk, webpChunks } from "../headers/webp-header.ts";

const chunksAt = 12;
/** Position, size, duration and flags in front of a frame's own chunks. */
const frameHeadBytes = 16;
const sizeAt = 6;
/** Says that an extended file has transparency. */
const alphaFlag = 0x10;

/**
 * The first frame of an animated WebP as a file of its own: decoders of still images do not read animations.
 * Undefined when there is none.
 */
export function firstWebpFrame(file: Uint8Array): Uint8Array | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const frame = find(webpChunks(view, chunksAt, file.length), "ANMF");
  if (frame === undefined) return undefined;
  const end = Math.min(frame.offset + frame.length, file.length);
  const chunks = [...webpChunks(view, frame.offset + frameHeadBytes, end)];
  const picture = find(chunks, "VP8L") ?? find(chunks, "VP8 ");
  if (picture === undefined) return undefined;
  const alpha = picture.name === "VP8 " ? find(chunks, "ALPH") : undefined;
  const size = file.subarray(frame.offset + sizeAt, frame.offset + sizeAt + 6);
  const parts =
    alpha === undefined
      ? [chunkOf(file, picture)]
      : [
          framed("VP8X", Buffer.concat([Buffer.from([alphaFlag, 0, 0, 0]), size])),
          chunkOf(file, alpha),
          chunkOf(file, picture),
        ];
  return framed("RIFF", Buffer.concat([Buffer.from("WEBP"), ...parts]));
}

function find(chunks: Iterable<WebpChunk>, name: string): WebpChunk | undefined {
  for (const chunk of chunks) if (chunk.name === name) return chunk;
  return undefined;
}

function chunkOf(file: Uint8Array, { name, offset, length }: WebpChunk): Uint8Array {
  return framed(name, file.subarray(offset, offset + length));
}

/** A chunk, padded to an even length. */
function framed(name: string, data: Uint8Array): Uint8Array {
  const head = Buffer.from(`${name}....`, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}
