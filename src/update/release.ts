import { createPublicKey, verify } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzip, zstdDecompress } from "node:zlib";

import { sha256Hex } from "../base/digests.ts";
import { AppError, messageOf } from "../base/errors.ts";
import { hideInUrl } from "../base/secrets.ts";
import { isObject } from "../base/values.ts";

/** One packed form of an executable. */
interface Archive {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The executable of one platform in a release. */
export interface ReleasedProgram {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly archives: readonly Archive[];
}

/** A release whose files are those that its list of checksums names. */
export interface Release {
  readonly version: string;
  readonly programs: readonly ReleasedProgram[];
  /** False: this build has no key to check it with. */
  readonly isSigned: boolean;
}

/** Small files of a release; a larger one is something else. */
const smallBytesMax = 1024 * 1024;
/** No program of this project comes near. */
const programBytesMax = 1024 * 1024 * 1024;
/** Seconds without a byte after which a download is given up. */
const stallMs = 30_000;
const redirectsMax = 10;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Reads files of a release folder. */
export interface ReleaseReader {
  readonly folder: string;
  readonly fetch: typeof fetch;
}

/**
 * The latest release: its list of checksums, whose signature is checked, and the manifest, whose checksum is in the list.
 * @param publicKey PEM; empty while releases are not signed
 * @throws {AppError} `system` when it cannot be fetched, `refused` for a wrong signature or checksum
 */
export async function readRelease(reader: ReleaseReader, publicKey: string): Promise<Release> {
  const sums = await readPart(reader, "SHA256SUMS", smallBytesMax);
  if (publicKey !== "") {
    checkSignature(sums, await readPart(reader, "SHA256SUMS.sig", smallBytesMax), publicKey);
  }
  const manifest = await readPart(reader, "manifest.json", smallBytesMax);
  const listed = sumsIn(new TextDecoder().decode(sums));
  checkSum("manifest.json", manifest, listed.get("manifest.json"));
  const facts = parseManifest(manifest);
  for (const one of facts.programs.flatMap((program) => [program, ...program.archives])) {
    if (listed.get(one.file) !== one.sha256)
      throw wrong(`manifest.json has another checksum of ${one.file}`);
  }
  return { ...facts, isSigned: publicKey !== "" };
}

/**
 * The bytes of a program: of its smallest archive that can be unpacked here, each checked, packed and unpacked.
 * @param onProgress told the bytes so far and in all
 * @throws {AppError} `system`, `refused`
 */
export async function readProgram(
  reader: ReleaseReader,
  program: ReleasedProgram,
  onProgress: (bytes: number, ofBytes: number) => void,
): Promise<Uint8Array> {
  const ending = [".zst", ".gz"].find((one) =>
    program.archives.some(({ file }) => file.endsWith(one)),
  );
  const archive = program.archives.find(
    ({ file }) => ending !== undefined && file.endsWith(ending),
  );
  const part = archive ?? program;
  const got = await readPart(reader, part.file, part.bytes, onProgress);
  checkSum(part.file, got, part.sha256);
  const bytes = archive === undefined ? got : await unpacked(got, archive.file, program.bytes);
  if (bytes.length !== program.bytes) throw wrong(`${program.file} has another size than released`);
  checkSum(program.file, bytes, program.sha256);
  return bytes;
}

/** A few kilobytes may unpack to more than there is memory. */
async function unpacked(packed: Uint8Array, file: string, bytesMax: number): Promise<Uint8Array> {
  const bound = { maxOutputLength: Math.max(1, bytesMax) };
  try {
    if (file.endsWith(".zst")) return await promisify(zstdDecompress)(packed, bound);
    return await promisify(gunzip)(packed, bound);
  } catch (error) {
    throw wrong(`${file} cannot be unpacked (${messageOf(error)})`);
  }
}

/** One file of the release, of at most `bytesMax` bytes. */
async function readPart(
  { folder, fetch: get }: ReleaseReader,
  file: string,
  bytesMax: number,
  onProgress?: (bytes: number, ofBytes: number) => void,
): Promise<Uint8Array> {
  const url = `${folder}/${file}`;
  if (!isSafe(url)) {
    throw new AppError(
      "usage",
      `SCORPIOX_RELEASE_URL must begin with https:// or file://, not: ${hideInUrl(folder)}`,
    );
  }
  const shown = hideInUrl(url);
  try {
    if (!url.startsWith("file://")) return await download(get, url, shown, bytesMax, onProgress);
    const path = fileURLToPath(url);
    const stats = statSync(path);
    // Reading a pipe in its place would block.
    if (!stats.isFile()) throw new Error(`${path} is not a file`);
    if (stats.size > bytesMax) throw wrong(`${url} is larger than released`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("system", `Cannot get ${shown}: ${messageOf(error)}. Nothing was changed.`);
  }
}

/** Without encryption only from this machine. */
function isSafe(url: string): boolean {
  const { protocol, hostname } = URL.parse(url) ?? {};
  if (protocol === "https:" || protocol === "file:") return true;
  return protocol === "http:" && (hostname === "127.0.0.1" || hostname === "localhost");
}

async function download(
  get: typeof fetch,
  url: string,
  shown: string,
  bytesMax: number,
  onProgress: ((bytes: number, ofBytes: number) => void) | undefined,
): Promise<Uint8Array> {
  const controller = new AbortController();
  const stalled = (): void => controller.abort(new Error(`no byte for ${stallMs / 1000} s`));
  let timer = setTimeout(stalled, stallMs);
  try {
    const response = await follow(get, url, controller.signal);
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      clearTimeout(timer);
      timer = setTimeout(stalled, stallMs);
      length += chunk.length;
      if (length > bytesMax) throw wrong(`${shown} is larger than released`);
      chunks.push(chunk);
      onProgress?.(length, bytesMax);
    }
    return Buffer.concat(chunks);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks no address on the way before it is known to be safe. */
async function follow(get: typeof fetch, url: string, signal: AbortSignal): Promise<Response> {
  let address = url;
  for (let count = 0; count <= redirectsMax; count++) {
    const response = await get(address, { signal, redirect: "manual" });
    const location = response.headers.get("location");
    if (!redirects.has(response.status) || location === null) return response;
    address = URL.parse(location, address)?.href ?? location;
    if (!isSafe(address)) throw new Error(`it was redirected to ${hideInUrl(address)}`);
  }
  throw new Error(`there are more than ${redirectsMax} redirects`);
}

function checkSignature(sums: Uint8Array, signature: Uint8Array, publicKey: string): void {
  if (verify("sha256", sums, createPublicKey(publicKey), signature)) return;
  throw wrong("The signature of SHA256SUMS is not of this project's release key");
}

function checkSum(file: string, bytes: Uint8Array, expected: string | undefined): void {
  const actual = sha256Hex(bytes);
  if (actual === expected) return;
  throw wrong(
    `${file} is not as released: expected SHA-256 ${expected ?? "(none listed)"}, got ${actual}`,
  );
}

function wrong(text: string): AppError {
  return new AppError("refused", `${text}. Nothing was changed.`);
}

/** The checksums in a text, by file. */
function sumsIn(text: string): ReadonlyMap<string, string> {
  const rows = text.split("\n").flatMap((line) => {
    const [, sum, file] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? [];
    return sum === undefined || file === undefined ? [] : [[file, sum] as const];
  });
  return new Map(rows);
}

const semver = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[\w.-]+)?(?:\+[\w.-]+)?$/;

/** Its checksum is the release's; but a build without a key takes it from anybody. */
function parseManifest(bytes: Uint8Array): Pick<Release, "version" | "programs"> {
  let manifest: unknown;
  try {
    manifest = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // Said below.
  }
  const { version, artifacts } = isObject(manifest) ? manifest : {};
  if (typeof version === "string" && semver.test(version) && Array.isArray(artifacts)) {
    return { version, programs: artifacts.map(programIn) };
  }
  throw notManifest();
}

function programIn(artifact: unknown): ReleasedProgram {
  const { archives = [] } = isObject(artifact) ? artifact : {};
  if (!Array.isArray(archives)) throw notManifest();
  return { ...archiveIn(artifact), archives: archives.map(archiveIn) };
}

function archiveIn(value: unknown): Archive {
  const { file, bytes, sha256 } = isObject(value) ? value : {};
  const isFile = typeof file === "string" && /^\w[\w.-]*$/.test(file);
  const isSize =
    Number.isSafeInteger(bytes) && Number(bytes) >= 0 && Number(bytes) <= programBytesMax;
  if (isFile && isSize && typeof sha256 === "string") return { file, bytes: Number(bytes), sha256 };
  throw notManifest();
}

function notManifest(): AppError {
  return wrong("manifest.json is not a manifest of a release");
}
