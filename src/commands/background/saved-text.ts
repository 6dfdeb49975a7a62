import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

import { savedTextBytesMax } from "../../base/limits.ts";
import { isContinuation, lineEnd, type OutputText, twoEnds } from "./output-text.ts";

/** No link is followed and no pipe is waited for; flags that the platform lacks are left out. */
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A file as text, its two ends if it is long, and into how many pages it is divided. */
export type SavedText = OutputText & { readonly pages: number };

/** A file of this user as text, its two ends if it is longer than `bytesMax`; undefined when there is no such file. */
export function readSavedFile(
  path: string,
  bytesMax: number = savedTextBytesMax,
): Promise<SavedText | undefined> {
  return withFile(path, async (file, size) => {
    const text = await readEnds(file, size, bytesMax);
    return { ...text, pages: pagesOf(size, bytesMax) };
  });
}

/**
 * One page of a file of this user: about `pageBytes`, between two characters, so that all pages one behind the other are
 * the file. Undefined when there is no such file or page.
 * @param page from 1 on
 */
export function readSavedPage(
  path: string,
  page: number,
  pageBytes: number = savedTextBytesMax,
): Promise<string | undefined> {
  return withFile(path, async (file, size) => {
    if (page < 1 || page > pagesOf(size, pageBytes)) return undefined;
    const from = (page - 1) * pageBytes;
    const bytes = await readPart(file, from, pageBytes + continuationsMax);
    const start = page === 1 ? 0 : continuations(bytes, 0);
    const end = pageBytes + continuations(bytes, pageBytes);
    return decode(bytes.subarray(start, end));
  });
}

/** Some bytes of a file, and how many it has. */
export interface SavedPart {
  readonly bytes: Uint8Array;
  readonly fileBytes: number;
}

/**
 * The text from the byte `from` on, before the byte `to`: about `bytesMax`, up to the end of a line or, in a long line,
 * of a character. Undefined when there is no such file.
 */
export function readSavedPart(
  path: string,
  from: number,
  to: number,
  bytesMax: number,
): Promise<SavedPart | undefined> {
  return withFile(path, async (file, fileBytes) => {
    const leftBytes = Math.max(0, Math.min(to, fileBytes) - from);
    const bytes = await readPart(file, from, Math.min(leftBytes, bytesMax));
    return { bytes: leftBytes <= bytesMax ? bytes : bytes.subarray(0, lineEnd(bytes)), fileBytes };
  });
}

/** Bytes of a character behind its first, at most. */
const continuationsMax = 3;

function continuations(bytes: Uint8Array, at: number): number {
  let count = 0;
  while (count < continuationsMax && isContinuation(bytes[at + count])) count++;
  return count;
}

function pagesOf(size: number, pageBytes: number): number {
  return Math.max(1, Math.ceil(size / pageBytes));
}

async function withFile<Value>(
  path: string,
  read: (file: FileHandle, size: number) => Promise<Value>,
): Promise<Value | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, openFlags);
    const info = await file.stat();
    const isOurs = process.getuid === undefined || info.uid === process.getuid();
    if (!info.isFile() || !isOurs) return undefined;
    return await read(file, info.size);
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
    return { kind: "whole", text: decode(whole) };
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

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
