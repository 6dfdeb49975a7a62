import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * How a release is downloaded: some 60 MB as `.gz`, which every system unpacks, or 49 MB as `.zst`, instead of 125 MB.
 * The slowest levels: a file is packed once and unpacked by everybody.
 */
const packers = {
  ".gz": async (bytes: Uint8Array): Promise<Uint8Array> =>
    Bun.gzipSync(new Uint8Array(bytes), { library: "libdeflate", level: 12 }),
  ".zst": (bytes: Uint8Array): Promise<Uint8Array> => Bun.zstdCompress(bytes, { level: 19 }),
} as const;

/** `bytes` packed in each way, by the ending of its file. */
export async function pack(bytes: Uint8Array): Promise<Record<keyof typeof packers, Uint8Array>> {
  const [gz, zst] = await Promise.all([packers[".gz"](bytes), packers[".zst"](bytes)]);
  return { ".gz": gz, ".zst": zst };
}

/** Writes `file` of `outdir` packed in each way beside it. @returns their names */
export async function writeArchives(outdir: string, file: string): Promise<readonly string[]> {
  const packed = Object.entries(await pack(readFileSync(join(outdir, file))));
  return packed.map(([ending, bytes]) => {
    writeFileSync(join(outdir, file + ending), bytes);
    return file + ending;
  });
}
