import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

import { savedTextBytesMax } from "../base/limits.ts";
import { type OutputText, twoEnds } from "./output-text.ts";

/** No link is followed and no pipe is waited for; what the platform does not have is left out. */
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A file of this user as text, its two ends if it is longer than `bytesMax`; undefined when there is no such file. */
export async function readSavedFile(
  path: string,
  bytesMax: number = savedTextBytesMax,
): Promise<OutputText | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, openFlags);
    const info = await file.stat();
    const isOurs = process.getuid === undefined || info.uid === process.getuid();
    if (!info.isFile() || !isOurs) return undefined;
    return await readEnds(file, info.size, bytesMax);
  } catch {
    // It is not there, is a link, or was swept away just now.
    return undefined;
  } finally {
    await file?.close();
  }
}

async function readEnds(file: FileHandle, size: number, bytesMax: number): Promise<OutputText> {
  if (size <= bytesMax) {
    const whole = await readPart(file, 0, size);
    return { kind: "whole", text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(whole) };
  }
  const endBytes = Math.floor(bytesMax / 2);
  const first = await readPart(file, 0, endBytes);
  const last = await readPart(file, size - endBytes, endBytes);
  return twoEnds(first, last, size);
}

async function readPart(file: FileHandle, from: number, length: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}
