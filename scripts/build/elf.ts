/**
 * Takes the zeros out of an ELF executable that Bun 1.4.5 has compiled. Bun appends its data to the last writable segment, at an
 * address behind the unset variables (`.bss`), so that as many zeros as these have bytes are written in between. Here the data
 * gets a segment of its own, at the same address, and the variables are again what a linker makes of them: memory that is not
 * in the file. The entry of the notes (`PT_NOTE`: ABI and build id, which no loader needs) becomes the entry of that segment.
 */

const typeLoad = 1;
const typeNote = 4;
const sectionNoBits = 8;
const programHeaderBytes = 56;
const sectionHeaderBytes = 64;

interface Segment {
  /** Where its entry is in the file. */
  readonly at: number;
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly fileBytes: number;
  readonly memoryBytes: number;
  readonly alignment: number;
}

interface Section {
  readonly at: number;
  readonly type: number;
  readonly address: number;
  readonly offset: number;
  readonly bytes: number;
}

/** @throws Error when `file` has another structure than Bun 1.4.5 writes */
export function withoutZeros(file: Buffer): Buffer {
  const { segments, sections, sectionsAt } = readElf(file);
  const whole = segments.findLast(({ type }) => type === typeLoad);
  const note = segments.find(({ type }) => type === typeNote);
  // Loaders want the segments in the order of their addresses.
  if (whole === undefined || note === undefined || note.at < whole.at) throw unknown("segments");
  const end = whole.address + whole.memoryBytes;
  const within = sections
    .filter(({ address, bytes }) => bytes > 0 && address >= whole.address && address < end)
    .toSorted((one, other) => one.address - other.address);
  const [variables, added] = within.slice(-2);
  if (variables?.type !== sectionNoBits || added === undefined || added.offset > sectionsAt) {
    throw unknown("sections");
  }
  // Where the bytes of the linker end: variables take none.
  const zerosAt = variables.offset;
  const dataAt = roundUp(zerosAt, whole.alignment) + (added.address % whole.alignment);
  const shift = added.offset - dataAt;
  const variablesEnd = variables.address + variables.bytes;
  // A page belongs to one segment.
  if (roundUp(variablesEnd, whole.alignment) > added.address) throw unknown("addresses");
  if (
    shift < 0 ||
    !file.subarray(zerosAt, added.offset).equals(Buffer.alloc(added.offset - zerosAt))
  ) {
    throw unknown("bytes before its data");
  }
  const made = Buffer.concat([
    file.subarray(0, zerosAt),
    Buffer.alloc(dataAt - zerosAt),
    file.subarray(added.offset),
  ]);
  file.copy(made, note.at, whole.at, whole.at + programHeaderBytes);
  writeSegment(made, whole.at, {
    ...whole,
    fileBytes: zerosAt - whole.offset,
    memoryBytes: variablesEnd - whole.address,
  });
  writeSegment(made, note.at, {
    offset: dataAt,
    address: added.address,
    fileBytes: whole.offset + whole.fileBytes - added.offset,
    memoryBytes: end - added.address,
  });
  made.writeBigUInt64LE(BigInt(sectionsAt - shift), 40);
  for (const { at, offset } of sections.filter((one) => one.offset >= added.offset)) {
    made.writeBigUInt64LE(BigInt(offset - shift), at - shift + 24);
  }
  return made;
}

function readElf(file: Buffer): {
  readonly segments: readonly Segment[];
  readonly sections: readonly Section[];
  /** Where the table of sections is: behind all of them. */
  readonly sectionsAt: number;
} {
  // 64 bits, little-endian.
  if (file.length < 64 || file.toString("latin1", 0, 6) !== "\u007fELF\u0002\u0001") {
    throw unknown("header");
  }
  const number = (at: number): number => Number(file.readBigUInt64LE(at));
  const [segmentsAt, sectionsAt] = [number(32), number(40)];
  const segments = Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const at = segmentsAt + index * programHeaderBytes;
    return {
      at,
      type: file.readUInt32LE(at),
      offset: number(at + 8),
      address: number(at + 16),
      fileBytes: number(at + 32),
      memoryBytes: number(at + 40),
      alignment: number(at + 48),
    };
  });
  const sections = Array.from({ length: file.readUInt16LE(60) }, (_, index) => {
    const at = sectionsAt + index * sectionHeaderBytes;
    return {
      at,
      type: file.readUInt32LE(at + 4),
      address: number(at + 16),
      offset: number(at + 24),
      bytes: number(at + 32),
    };
  });
  return { segments, sections, sectionsAt };
}

function writeSegment(
  file: Buffer,
  at: number,
  place: Pick<Segment, "offset" | "address" | "fileBytes" | "memoryBytes">,
): void {
  const { offset, address, fileBytes, memoryBytes } = place;
  for (const [index, value] of [offset, address, address, fileBytes, memoryBytes].entries()) {
    file.writeBigUInt64LE(BigInt(value), at + 8 + index * 8);
  }
}

function roundUp(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}

function unknown(what: string): Error {
  return new Error(`this Bun writes the ${what} of an executable in another form`);
}
