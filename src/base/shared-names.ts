import { randomHex, sha256Hex } from "./digests.ts";

import { basename } from "node:path";

/** Our tools that run a command. What is said of Bash is said of all of them, since the one does what the other does. */
export const commandTools: ReadonlySet<string> = new Set(["Bash", "BackgroundBash"]);

/** The database of all servers of this user. */
export const storeFileName = "scorpiox.db";

const sideFiles = ["", "-wal", "-shm"].map((suffix) => storeFileName + suffix);

/**
 * True for the database and what SQLite keeps beside it. Nobody opens these beside SQLite: closing one drops the locks
 * that the whole process holds on it, and another process takes away what is in use.
 * @param path a real path, since links have other names
 */
export function isStoreFile(path: string): boolean {
  return sideFiles.includes(basename(path));
}

/** When it was made, what nobody can guess, and whose it is. */
const form = /^([0-9a-z]{1,16}-[0-9a-f]{16})-([0-9a-f]{8})$/;

/** The id of a saved text, which is the name of its file too: it cannot be guessed, and is its client's alone (CA14). */
export function newResultId(clientId: string): string {
  const stem = `${Date.now().toString(36)}-${randomHex(8)}`;
  return `${stem}-${markOf(stem, clientId)}`;
}

/** Whether `id` was made for this client, in whatever process. False for whatever is no id. */
export function isResultIdOf(clientId: string, id: string): boolean {
  const [, stem, mark] = form.exec(id) ?? [];
  return stem !== undefined && mark === markOf(stem, clientId);
}

function markOf(stem: string, clientId: string): string {
  return sha256Hex(`${stem}\0${clientId}`).slice(0, 8);
}
