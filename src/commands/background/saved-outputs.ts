import { constants, lstatSync, mkdirSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { FolderSweeps } from "../../base/disk-space.ts";
import { messageOf } from "../../base/errors.ts";
import { savedTextBytesMax } from "../../base/limits.ts";
import { isResultIdOf, newResultId } from "../../base/digests.ts";
import { isContinuation, lineEnd, type OutputText, twoEnds } from "./output-store.ts";
import { SavedOutput } from "./saved-output.ts";
import { SavingRoom } from "./saving-room.ts";

/** Where outputs that are too long for a reply are saved; the second stands in for the first. */
export function resultFolders(scorpioxDir: string): string[] {
  const uid = process.getuid?.() ?? "user";
  return [join(scorpioxDir, "results"), join(tmpdir(), `scorpiox-results-${uid}`)];
}

/** The private folder of outputs that were too long to show: made on first use, swept by age and size. */
export class SavedOutputs {
  readonly #folders: readonly string[];
  readonly #warn: (message: string) => void;
  readonly #sweeps = new FolderSweeps();
  readonly #roomIn: (folder: string) => SavingRoom;
  readonly #rooms = new Map<string, SavingRoom>();

  /**
   * @param folders where to save files; a later one is used when an earlier one cannot be written, or its disk is
   * nearly full
   * @param warn called once for each file that could not be made
   * @param roomIn the room that outputs share while they are saved in a folder
   */
  constructor(
    folders: readonly string[],
    warn: (message: string) => void,
    roomIn: (folder: string) => SavingRoom = (folder) => new SavingRoom(folder),
  ) {
    this.#folders = folders;
    this.#warn = warn;
    this.#roomIn = roomIn;
  }

  /** A new file of a client, or undefined when no folder can be written. */
  create(clientId: string): SavedOutput | undefined {
    let problem = "";
    for (const folder of this.#folders) {
      try {
        makePrivateFolder(folder);
        const onSaved = (bytes: number): void => void this.#sweeps.onSaved(folder, bytes);
        const path = join(folder, `${newResultId(clientId)}.txt`);
        const room = this.#room(folder);
        const full = room.take(0);
        if (full !== undefined) throw new Error(full);
        const saved = new SavedOutput(path, room, onSaved);
        onSaved(0);
        return saved;
      } catch (error) {
        problem = messageOf(error);
      }
    }
    this.#warn(`Long outputs cannot be saved: ${problem}. Free space or make the folder writable.`);
    return undefined;
  }

  /**
   * The content of a file of this client, its two ends if it is long; `id` is its name without `.txt`. Undefined for
   * anything else, whatever the id says: it is never a path.
   */
  async read(clientId: string, id: string): Promise<SavedText | undefined> {
    return this.#first(clientId, id, (path) => readSavedFile(path));
  }

  /** One of its pages, from 1 on. */
  async readPage(clientId: string, id: string, page: number): Promise<string | undefined> {
    return this.#first(clientId, id, (path) => readSavedPage(path, page));
  }

  #room(folder: string): SavingRoom {
    const room = this.#rooms.get(folder) ?? this.#roomIn(folder);
    this.#rooms.set(folder, room);
    return room;
  }

  async #first<Value>(
    clientId: string,
    id: string,
    read: (path: string) => Promise<Value | undefined>,
  ): Promise<Value | undefined> {
    if (!isResultIdOf(clientId, id)) return undefined;
    for (const folder of this.#folders) {
      const value = await read(join(folder, `${id}.txt`));
      if (value !== undefined) return value;
    }
    return undefined;
  }
}

/** @throws when the folder cannot be made, is not a folder, or belongs to somebody else. */
function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const info = lstatSync(folder);
  const isOurs = process.getuid === undefined || info.uid === process.getuid();
  if (!info.isDirectory() || !isOurs)
    throw new Error(`${folder} is not a folder that this user owns`);
}

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
interface SavedPart {
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
