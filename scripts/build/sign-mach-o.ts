/**
 * Ad hoc code signatures of Mach-O files: hashes of every page and no certificate, as Apple's linker writes them. Apple
 * processors run nothing without; on Intel a signature over other bytes is worse than none. Bun 1.4.5 signs what it
 * compiles for arm64, and for x64 leaves its own signature over a file that it has changed.
 *
 * The structures are those of Apple's `cs_blobs.h`; their numbers are big-endian.
 */
import { createHash } from "node:crypto";
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { readMachO, writeSignatureSize } from "./mach-o.ts";

const superBlobMagic = 0xfade0cc0;
const codeDirectoryMagic = 0xfade0c02;
const codeDirectorySlot = 0;
const superBlobBytes = 20;
/** Of the version with the bounds of the text segment. */
const codeDirectoryBytes = 88;
const codeDirectoryVersion = 0x20400;
const adHocAndLinkerSigned = 0x0002_0002;
const mainBinary = 1n;
const sha256Type = 2;
const hashBytes = 32;
const pageBits = 12;
const pageBytes = 1 << pageBits;

/** How many of the signed pages are not what was signed, and whether all of the file before the signature is. */
export interface SignatureCheck {
  readonly identifier: string;
  readonly pages: number;
  readonly wrong: number;
  /** Bytes before the signature that no hash covers. */
  readonly uncovered: number;
}

/**
 * Signs the file at `path`, in place. The same bytes give the same signature.
 * @throws Error with a message for a person when it is no Mach-O file
 */
export function signMachO(path: string, identifier: string): void {
  const signed = withSignature(readFileSync(path), identifier);
  const staged = `${path}.signed`;
  writeFileSync(staged, signed, { mode: statSync(path).mode });
  renameSync(staged, path);
}

/** The file with a new signature in the place of the one that it has. */
export function withSignature(file: Buffer, identifier: string): Buffer {
  const image = readMachO(file);
  const codeBytes = image.signature.offset;
  const pages = Math.ceil(codeBytes / pageBytes);
  const name = Buffer.from(`${identifier}\0`);
  const hashesAt = codeDirectoryBytes + name.length;
  const directory = Buffer.alloc(hashesAt + pages * hashBytes);
  const size = superBlobBytes + directory.length;
  const signed = Buffer.alloc(codeBytes + size);
  file.copy(signed, 0, 0, codeBytes);
  // The load commands are part of what is hashed.
  writeSignatureSize(signed, image, size);

  const head = [
    codeDirectoryMagic,
    directory.length,
    codeDirectoryVersion,
    adHocAndLinkerSigned,
    hashesAt,
    codeDirectoryBytes,
    0, // no special slots
    pages,
    codeBytes,
  ];
  head.forEach((value, index) => directory.writeUInt32BE(value, index * 4));
  directory.set([hashBytes, sha256Type, 0, pageBits], 36);
  // 40 to 64: fields that are not used.
  directory.writeBigUInt64BE(BigInt(image.text.offset), 64);
  directory.writeBigUInt64BE(BigInt(image.text.size), 72);
  directory.writeBigUInt64BE(mainBinary, 80);
  name.copy(directory, codeDirectoryBytes);
  for (let page = 0; page < pages; page++) {
    hashOfPage(signed, page, codeBytes).copy(directory, hashesAt + page * hashBytes);
  }

  const blob = [superBlobMagic, size, 1];
  blob.push(codeDirectorySlot, superBlobBytes);
  blob.forEach((value, index) => signed.writeUInt32BE(value, codeBytes + index * 4));
  directory.copy(signed, codeBytes + superBlobBytes);
  return signed;
}

/** Holds every page against its hash. @throws Error when there is no signature that can be read */
export function checkMachO(file: Buffer): SignatureCheck {
  const { offset } = readMachO(file).signature;
  const at = offset + codeDirectoryAt(file.subarray(offset));
  const number = (index: number): number => file.readUInt32BE(at + index * 4);
  const [hashesAt, nameAt, pages, codeBytes] = [number(4), number(5), number(7), number(8)];
  if (file[at + 36] !== hashBytes || file[at + 37] !== sha256Type || file[at + 39] !== pageBits) {
    throw new Error("its signature is not of SHA-256 over pages of 4 KiB");
  }
  let wrong = 0;
  for (let page = 0; page < pages; page++) {
    const hashAt = at + hashesAt + page * hashBytes;
    const hash = file.subarray(hashAt, hashAt + hashBytes);
    if (!hashOfPage(file, page, codeBytes).equals(hash)) wrong++;
  }
  const name = file.toString("utf8", at + nameAt, file.indexOf(0, at + nameAt));
  return { identifier: name, pages, wrong, uncovered: offset - codeBytes };
}

function codeDirectoryAt(blob: Buffer): number {
  if (blob.length < superBlobBytes || blob.readUInt32BE(0) !== superBlobMagic) {
    throw new Error("there is no signature where its load command says");
  }
  const count = blob.readUInt32BE(8);
  for (let index = 0; index < count; index++) {
    const at = 12 + 8 * index;
    if (blob.readUInt32BE(at) === codeDirectorySlot) return blob.readUInt32BE(at + 4);
  }
  throw new Error("its signature has no code directory");
}

function hashOfPage(file: Buffer, page: number, codeBytes: number): Buffer {
  const start = page * pageBytes;
  const end = Math.min(start + pageBytes, codeBytes);
  return createHash("sha256").update(file.subarray(start, end)).digest();
}
