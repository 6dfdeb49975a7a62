import { constants } from "node:fs";
import { open } from "node:fs/promises";

import { AppError, messageOf } from "../../../base/errors.ts";
import { hookFileBytesMax } from "../../../base/limits.ts";

/** Bytes that tell a script from a program. */
const headBytes = 512;

/**
 * The whole content of a project's hook: what is read is what is judged and what is run.
 * @throws AppError `system`, `limit`
 */
export async function readHookContent(path: string): Promise<Uint8Array> {
  const bytes = await readStart(path, hookFileBytesMax + 1);
  if (bytes.length <= hookFileBytesMax) return bytes;
  const mib = hookFileBytesMax / 1024 / 1024;
  throw new AppError(
    "limit",
    `${path} is larger than ${mib} MiB: a project's hook must be smaller.`,
  );
}

/** The first bytes. @throws AppError `system` */
export function readHookHead(path: string): Promise<Uint8Array> {
  return readStart(path, headBytes);
}

async function readStart(path: string, bytesMax: number): Promise<Uint8Array> {
  try {
    // A pipe in the place of the file is not waited for.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
    await using file = await open(path, flags);
    const stats = await file.stat();
    if (!stats.isFile()) throw new AppError("system", `${path} is not a file any more.`);
    const bytes = Buffer.alloc(Math.min(bytesMax, stats.size + 1));
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("system", `${path} cannot be read: ${messageOf(error)}.`);
  }
}
