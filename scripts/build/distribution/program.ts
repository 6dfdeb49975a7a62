import type { Packed } from "../archives.ts";

/** The executable of a target, packed once: archives take these bytes over instead of packing them again. */
export type Program = Packed;

/** A file in an archive. */
export interface Entry {
  /** With slashes, without one at the beginning. */
  readonly path: string;
  readonly mode: number;
  readonly bytes: Uint8Array;
}

/** The time of every file in every package (1985-10-26, as npm has it): the same sources give the same bytes. */
export const fixedTime = 499_162_500;

export function textEntry(path: string, text: string, mode = 0o644): Entry {
  return { path, mode, bytes: new TextEncoder().encode(text) };
}

export function programEntry(path: string, program: Program): Entry {
  return { path, mode: 0o755, bytes: program.bytes };
}

const gzipHeader = 10;
const gzipTrailer = 8;

/** The bare DEFLATE stream of a gzip file without optional fields, and the checksum of its content. */
export function deflateOf(gz: Uint8Array): { readonly deflated: Uint8Array; readonly crc: number } {
  if (gz[3] !== 0) throw new Error("the gzip file has optional fields");
  const view = new DataView(gz.buffer, gz.byteOffset, gz.byteLength);
  return {
    deflated: gz.subarray(gzipHeader, gz.length - gzipTrailer),
    crc: view.getUint32(gz.length - gzipTrailer, true),
  };
}

/** The SHA-256 of `bytes` in lower-case hex. */
export function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/** Gzip of a text, without name and time. */
export function gzipText(text: string): Uint8Array {
  return Bun.gzipSync(new TextEncoder().encode(text), { library: "libdeflate", level: 12 });
}
