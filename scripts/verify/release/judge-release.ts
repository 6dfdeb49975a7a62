import { createHash, type KeyObject, verify } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The checksums, and their signature: neither is listed in them. */
const [sumsFile, signatureFile] = ["SHA256SUMS", "SHA256SUMS.sig"];

export interface JudgedRelease {
  /** The files of the release, without the checksums and their signature. */
  readonly files: readonly string[];
  readonly bytes: number;
  /** The programs that are listed as they are when unpacked. */
  readonly programs: readonly string[];
  readonly faults: readonly string[];
}

/** Compares each file of a release with its checksum, also each program that is there packed only, and checks the signature. */
export async function judgeRelease(dir: string, publicKey: KeyObject): Promise<JudgedRelease> {
  const sums = readFileSync(join(dir, sumsFile));
  const listed = new Map(
    sums
      .toString()
      .split("\n")
      .filter(Boolean)
      .map((line) => [line.slice(66), line.slice(0, 64)] as const),
  );
  const files = filesIn(dir);
  const faults = files.filter((file) => !listed.has(file)).map((file) => `${file} is not listed`);
  const programs: string[] = [];
  for (const [file, expected] of listed) {
    if (!existsSync(join(dir, file))) programs.push(file);
    for (const [name, bytes] of await copiesOf(dir, file)) {
      if (bytes === undefined) faults.push(`${name} is missing`);
      else if (sha256(bytes) !== expected) faults.push(`${name} has another checksum`);
    }
  }
  const signature = join(dir, signatureFile);
  const isSigned =
    existsSync(signature) && verify("sha256", sums, publicKey, readFileSync(signature));
  if (!isSigned) faults.push(`${sumsFile} is not signed with this key`);
  const bytes = files.reduce((sum, file) => sum + statSync(join(dir, file)).size, 0);
  return { files, bytes, programs, faults };
}

/** Files that are in one release only, or have other bytes. The signatures are not compared: one of ECDSA has a random part. */
export function differingFiles(one: string, two: string): readonly string[] {
  const names = new Set([...filesIn(one), ...filesIn(two), sumsFile]);
  const read = (dir: string, file: string): Buffer | undefined =>
    existsSync(join(dir, file)) ? readFileSync(join(dir, file)) : undefined;
  return [...names].filter((file) => {
    const [first, second] = [read(one, file), read(two, file)];
    return first === undefined || second === undefined || !first.equals(second);
  });
}

function filesIn(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => statSync(join(dir, file)).isFile())
    .filter((file) => file !== sumsFile && file !== signatureFile)
    .sort();
}

type Copy = readonly [name: string, bytes: Uint8Array | undefined];

/** The bytes that are to have the checksum: the file, or both of its packed forms unpacked. */
async function copiesOf(dir: string, file: string): Promise<readonly Copy[]> {
  const read = (ending: string): Uint8Array<ArrayBuffer> | undefined =>
    existsSync(join(dir, file + ending))
      ? new Uint8Array(readFileSync(join(dir, file + ending)))
      : undefined;
  const plain = read("");
  if (plain !== undefined) return [[file, plain]];
  const [gz, zst] = [read(".gz"), read(".zst")];
  return [
    [`${file}.gz`, gz && Bun.gunzipSync(gz)],
    [`${file}.zst`, zst && (await Bun.zstdDecompress(zst))],
  ];
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
