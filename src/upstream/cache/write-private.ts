import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Replaces a file that may be lost at a power cut but is never half written: only this user can read it. Its folder is
 * made.
 * @throws the system's error; the file is then as it was
 */
export async function writePrivate(path: string, text: string): Promise<void> {
  const dir = dirname(path);
  const draft = join(dir, `.${basename(path)}.${randomUUID()}.tmp`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, text, { flag: "wx", mode: 0o600 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
