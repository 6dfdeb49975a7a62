import { statSync } from "node:fs";

/** What names a file while it exists, wherever it is moved to; undefined = there is none. */
export type FileIdentity = string | undefined;

/** Never throws: a file that cannot be looked at counts as gone. Does not open it, which would cost SQLite its locks. */
export function identityOf(path: string): FileIdentity {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
