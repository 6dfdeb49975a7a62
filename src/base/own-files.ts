import { basename } from "node:path";

/** The database of all servers of this user, in `~/.scorpiox` as all files here. */
export const storeFileName = "scorpiox.db";
/** The approvals of MCP servers and of their tools. */
export const trustFileName = "trust.json";
/** The MCP servers with logins. */
export const loginsFileName = "logins.json";
/** Secrets of the user where there is no keychain, and locks of logins. */
export const secretsFolderName = "secrets";
/** In the folder of secrets: written when any of them changes, wherever it is kept. */
export const secretNamesFileName = "names.json";
/** Logins of the principals of a server over HTTP, sealed. */
export const userLoginsFolderName = "user-logins";

/** The folder of background tasks that outlive their client. */
export const keptFolderName = "kept";

const storeFileNames = ["", "-wal", "-shm"].map((suffix) => storeFileName + suffix);

/**
 * True for the database and what SQLite keeps beside it. Nobody opens these beside SQLite: closing one drops the locks
 * that the whole process holds on it, and another process takes away what is in use.
 * @param path a real path, since links have other names
 */
export function isStoreFile(path: string): boolean {
  return storeFileNames.includes(basename(path));
}
