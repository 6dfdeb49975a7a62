import { crc32, inflateSync } from "node:zlib";

import { fourCharacters } from "./headers/still.ts";

const signatureBytes = 8;
/** Length and name in front of a chunk's data; a checksum behind it. */
const chunkHeadBytes = 8;
const channelsOf: readonly (number | undefined)[] = [1, undefined, 3, 1, 2, undefined, 4];
/** Encoders may leave something behind the last row. */
const slackBytes = 4_096;

/** First column and row, and the distance of columns and rows, of the passes of Adam7. */
const passes: readonly (readonly [x: number, y: number, byX: number, byY: number])[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

/**
 * The damage of a file with the structure of a PNG, as the end of "… is damaged: "; undefined when it is sound. A
 * client that is given a picture which it cannot read may refuse the whole conversation from then on. Checks every
 * checksum and decompresses the pixels, up to the size given by the header: for small pictures.
 */
export function pngDamage(bytes: Uint8Array): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data: Uint8Array[] = [];
  for (let at = signatureBytes; at + chunkHeadBytes < bytes.length;) {
    const name = fourCharacters(view, at + 4);
    const end = at + chunkHeadBytes + view.getUint32(at);
    // A lower-case letter: readers may do without the chunk.
    const isCritical = /^[A-Z]/.test(name);
    if (isCritical && crc32(bytes.subarray(at + 4, end)) !== view.getUint32(end)) {
      return `the checksum of its ${name} chunk is wrong`;
    }
    if (name === "IDAT") data.push(bytes.subarray(at + chunkHeadBytes, end));
    if (name === "IEND") break;
    at = end + 4;
  }
  return pixelDamage(view, data);
}

function pixelDamage(view: DataView, data: readonly Uint8Array[]): string | undefined {
  const needed = unfoldedBytes(view);
  if (needed === undefined) return "its header has an invalid colour type";
  try {
    const unfolded = inflateSync(Buffer.concat(data), { maxOutputLength: needed + slackBytes });
    return unfolded.length < needed ? "it has fewer pixels than its header says" : undefined;
  } catch {
    return "its pixel data cannot be decompressed";
  }
}

/** The bytes of all rows, each with the one that names its filter. */
function unfoldedBytes(view: DataView): number | undefined {
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const channels = channelsOf[view.getUint8(25)];
  if (channels === undefined) return undefined;
  const pixelBits = channels * view.getUint8(24);
  const rows = (columns: number, count: number): number =>
    columns <= 0 || count <= 0 ? 0 : (1 + Math.ceil((columns * pixelBits) / 8)) * count;
  if (view.getUint8(28) === 0) return rows(width, height);
  return passes.reduce(
    (sum, [x, y, byX, byY]) =>
      sum + rows(Math.ceil((width - x) / byX), Math.ceil((height - y) / byY)),
    0,
  );
}
