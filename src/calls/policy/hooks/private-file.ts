import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A private file with this content; gone when disposed of. */
export interface PrivateFile extends AsyncDisposable {
  readonly path: string;
}

/** @param extension with its dot, or empty */
export async function makePrivateFile(
  folder: string,
  content: string | Uint8Array,
  { extension, mode }: { readonly extension: string; readonly mode: number },
): Promise<PrivateFile> {
  const path = join(folder, `${randomBytes(8).toString("hex")}${extension}`);
  const remove = (): Promise<void> => rm(path, { force: true });
  try {
    await writeFile(path, content, { mode, flag: "wx" });
  } catch (error) {
    // What was written before the disk was full.
    await remove();
    throw error;
  }
  return { path, [Symbol.asyncDispose]: remove };
}
