/** One file inside a compiled executable. Sizes are in bytes. */
interface EmbeddedFile {
  readonly name: string;
  readonly source: number;
  readonly bytecode: number;
}

export interface Embedded {
  readonly files: readonly EmbeddedFile[];
  /** All that Bun has added: the files, their names, and the tables that their bytecode shares. */
  readonly bytes: number;
}

// How Bun 1.4.5 writes it, on every platform: the data, 32 bytes of offsets into the data, the trailer.
const trailer = "\n---- Bun! ----\n";
const offsetsBytes = 32;
// Of one file: offset and length of its name, its source, its source map, its bytecode and two more, and four flags.
const recordBytes = 52;

/** The files in `executable`. @throws Error when Bun did not compile it, or a Bun that writes another form */
export function readEmbedded(executable: Buffer): Embedded {
  const offsetsAt = executable.lastIndexOf(trailer) - offsetsBytes;
  if (offsetsAt < 0) throw new Error("this is no executable that Bun has compiled");
  const bytes = Number(executable.readBigUInt64LE(offsetsAt));
  const data = executable.subarray(Math.max(0, offsetsAt - bytes), offsetsAt);
  const at = executable.readUInt32LE(offsetsAt + 8);
  const length = executable.readUInt32LE(offsetsAt + 12);
  if (data.length !== bytes || at + length > bytes || length % recordBytes !== 0) {
    throw new Error("this Bun writes its list of files in another form");
  }
  const files: EmbeddedFile[] = [];
  for (let record = at; record < at + length; record += recordBytes) {
    const [nameAt, nameLength] = [data.readUInt32LE(record), data.readUInt32LE(record + 4)];
    files.push({
      name: data.toString("utf8", nameAt, nameAt + nameLength),
      source: data.readUInt32LE(record + 12),
      bytecode: data.readUInt32LE(record + 28),
    });
  }
  return { files, bytes };
}
