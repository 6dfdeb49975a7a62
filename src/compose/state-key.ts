import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { systemCodeOf } from "../base/errors.ts";

const keyBytes = 32;

/**
 * The secret that seals `requestState`, kept in a private file so that a client may come back to another
 * process: servers are started dozens of times a day. Where no file can be kept it lives as long as the process.
 */
export function readStateKey(scorpioxDir: string): Uint8Array {
  const path = join(scorpioxDir, "state.key");
  const fresh = randomBytes(keyBytes);
  try {
    mkdirSync(scorpioxDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, fresh, { flag: "wx", mode: 0o600 });
    return fresh;
  } catch (error) {
    return systemCodeOf(error) === "EEXIST" ? (readKey(path) ?? fresh) : fresh;
  }
}

/** Undefined for a file without a key, such as one that another process is writing. */
function readKey(path: string): Uint8Array | undefined {
  try {
    const bytes = readFileSync(path);
    return bytes.length === keyBytes ? bytes : undefined;
  } catch {
    return undefined;
  }
}
