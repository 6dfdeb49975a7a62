import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { leftDraftMsMin } from "../../base/upstream-limits.ts";

const draftEnd = ".tmp";

/**
 * Replaces a file that may be lost at a power cut but is never half written: only this user can read it. Creates its
 * folder.
 * @throws the system's error; the file is then unchanged
 */
export async function writePrivate(path: string, text: string): Promise<void> {
  const dir = dirname(path);
  const draft = join(dir, `.${basename(path)}.${randomUUID()}${draftEnd}`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, text, { flag: "wx", mode: 0o600 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/** Removes drafts in this folder whose writers were killed before they finished. Never rejects. */
export async function removeStaleDrafts(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(".") || !name.endsWith(draftEnd)) continue;
    const path = join(dir, name);
    const info = await stat(path).catch(() => undefined);
    const isLeft = info !== undefined && Date.now() - info.mtimeMs > leftDraftMsMin;
    if (isLeft) await rm(path, { force: true }).catch(() => {});
  }
}
