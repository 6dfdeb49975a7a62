import { packers } from "../archives.ts";
import { type Entry, fixedTime, type Program } from "./program.ts";

const block = 512;
/**
 * A packed tar of `entries`, sorted by path, owned by root. The program in it is the part that is packed already.
 * Packed parts can be joined: the program is a part of its own.
 */
export async function packTar(
  entries: readonly Entry[],
  program: Program | undefined,
  form: keyof typeof packers,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let pending: Uint8Array[] = [];
  const flush = async (): Promise<void> => {
    if (pending.length > 0) parts.push(await packers[form](Buffer.concat(pending)));
    pending = [];
  };
  for (const entry of sorted(entries)) {
    pending.push(header(entry));
    if (program !== undefined && entry.bytes === program.bytes) {
      await flush();
      parts.push(program[form]);
    } else {
      pending.push(entry.bytes);
    }
    pending.push(Buffer.alloc((block - (entry.bytes.length % block)) % block));
  }
  pending.push(Buffer.alloc(2 * block));
  await flush();
  return Buffer.concat(parts);
}

/** The entries with the folders that they are in: an entry whose path ends in a slash is one. */
export function withFolders(entries: readonly Entry[]): readonly Entry[] {
  const folders = new Set(
    entries.flatMap(({ path }) => {
      const names = path.split("/").slice(0, -1);
      return names.map((_, index) => `${names.slice(0, index + 1).join("/")}/`);
    }),
  );
  const none = new Uint8Array();
  return [...[...folders].map((path) => ({ path, mode: 0o755, bytes: none })), ...entries];
}

function sorted(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** A header of POSIX ustar. @throws Error for a path that does not fit */
function header({ path, mode, bytes }: Entry): Buffer {
  const head = Buffer.alloc(block);
  if (Buffer.byteLength(path) > 100) throw new Error(`the path ${path} is too long for a tar`);
  const octal = (value: number, at: number, width: number): void => {
    head.write(`${value.toString(8).padStart(width - 1, "0")}\0`, at);
  };
  head.write(path, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes.length, 124, 12);
  octal(fixedTime, 136, 12);
  head.write(" ".repeat(8), 148);
  head.write(path.endsWith("/") ? "5" : "0", 156);
  head.write("ustar\u000000", 257);
  head.write("root", 265);
  head.write("root", 297);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return head;
}
