import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** A file, and its bytes packed in each way. */
export interface Packed {
  readonly bytes: Uint8Array;
  readonly gz: Uint8Array;
  readonly zst: Uint8Array;
}

/**
 * How a release is downloaded: some 60 MB as `.gz`, which every system unpacks, or 49 MB as `.zst`, instead of 125 MB.
 * The slowest levels: a file is packed once and unpacked by everybody.
 */
export const packers = {
  gz: (bytes: Uint8Array): Promise<Uint8Array> =>
    Promise.resolve(Bun.gzipSync(new Uint8Array(bytes), { library: "libdeflate", level: 12 })),
  zst: (bytes: Uint8Array): Promise<Uint8Array> => Bun.zstdCompress(bytes, { level: 19 }),
} as const;

export async function pack(bytes: Uint8Array): Promise<Packed> {
  const [gz, zst] = await Promise.all([packers.gz(bytes), packers.zst(bytes)]);
  return { bytes, gz, zst };
}

/** Writes `file` of `outdir` packed in each way beside it. @returns their names */
export function writeArchives(outdir: string, file: string, packed: Packed): readonly string[] {
  return (["gz", "zst"] as const).map((form) => {
    const name = `${file}.${form}`;
    writeFileSync(join(outdir, name), packed[form]);
    return name;
  });
}
