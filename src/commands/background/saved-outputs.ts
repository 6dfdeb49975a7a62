import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { messageOf } from "../../base/errors.ts";
import { isResultIdOf, newResultId } from "../../base/result-id.ts";
import { FolderSweeps } from "../../base/sweep-folder.ts";
import { SavedOutput } from "./saved-output.ts";
import { SavingRoom } from "./saving-room.ts";
import { readSavedFile, readSavedPage, type SavedText } from "./saved-text.ts";

/** The private folder of outputs that were too long to show: made on first use, swept by age and size. */
export class SavedOutputs {
  readonly #folders: readonly string[];
  readonly #warn: (message: string) => void;
  readonly #sweeps = new FolderSweeps();
  readonly #roomIn: (folder: string) => SavingRoom;
  readonly #rooms = new Map<string, SavingRoom>();

  /**
   * @param folders where to keep files; a later one is used when an earlier one cannot be written, or its disk is
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
