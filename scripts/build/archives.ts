import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * How a release is downloaded: some 60 MB as `.gz`, which every system unpacks, or 49 MB as `.zst`, instead of 132 MB.
 * The slowest levels: a file is packed once and unpacked by everybody.
 */
const packers: Readonly<Record<string, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  ".gz": async (bytes) => Bun.gzipSync(new Uint8Array(bytes), { library: "libdeflate", level: 12 }),
  ".zst": (bytes) => Bun.zstdCompress(bytes, { level: 19 }),
};

/** Writes `file` of `outdir` packed in each way beside it. @returns their names */
export async function writeArchives(outdir: string, file: string): Promise<readonly string[]> {
  const bytes = readFileSync(join(outdir, file));
  return Promise.all(
    Object.entries(packers).map(async ([ending, pack]) => {
      writeFileSync(join(outdir, file + ending), await pack(bytes));
      return file + ending;
    }),
  );
}
