import { statSync } from "node:fs";

/** The identity of a file while it exists, wherever it is moved to; undefined = no file. */
export type FileIdentity = string | undefined;

/** Never throws: an inaccessible file is treated as gone. Does not open it, which would cost SQLite its locks. */
export function identityOf(path: string): FileIdentity {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
