import { AppError } from "../base/errors.ts";

/**
 * All bytes of `input`. `name` is what the reader calls it.
 * @throws {AppError} `limit` above `bytesMax` bytes.
 */
export async function readAll(
  input: AsyncIterable<Uint8Array>,
  bytesMax: number,
  name: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    length += chunk.length;
    if (length > bytesMax) {
      throw new AppError("limit", `${name} is longer than ${bytesMax} bytes, the limit.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
