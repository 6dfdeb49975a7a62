import { basename } from "node:path";

/** The database of all servers of this user. */
export const storeFileName = "scorpiox.db";

const storeFileNames = ["", "-wal", "-shm"].map((suffix) => storeFileName + suffix);

/**
 * True for the database and what SQLite keeps beside it. Nobody opens these beside SQLite: closing one drops the locks
 * that the whole process holds on it, and another process takes away what is in use.
 * @param path a real path, since links have other names
 */
export function isStoreFile(path: string): boolean {
  return storeFileNames.includes(basename(path));
}
