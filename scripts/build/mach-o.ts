/** What is read of a 64-bit Mach-O executable, and where in the file it stands. Numbers are in bytes. */

const magic64 = 0xfeedfacf;
const headerBytes = 32;
const commandSegment64 = 0x19;
const commandCodeSignature = 0x1d;

export interface MachOImage {
  /** Where the text segment is, which the kernel maps executable. */
  readonly text: FileRange;
  /** The last segment: the signature is its end. */
  readonly linkEdit: FileRange & { readonly commandAt: number };
  readonly signature: FileRange & { readonly commandAt: number };
}

interface FileRange {
  readonly offset: number;
  readonly size: number;
}

/** @throws Error with a message for a person when `file` is not a signed 64-bit Mach-O executable */
export function readMachO(file: Buffer): MachOImage {
  if (file.length < headerBytes || file.readUInt32LE(0) !== magic64) {
    throw new Error("this is no 64-bit Mach-O file");
  }
  let text: FileRange | undefined;
  let linkEdit: MachOImage["linkEdit"] | undefined;
  let signature: MachOImage["signature"] | undefined;
  for (const { kind, at } of commandsOf(file)) {
    if (kind === commandCodeSignature) {
      const range = { offset: file.readUInt32LE(at + 8), size: file.readUInt32LE(at + 12) };
      signature = { ...range, commandAt: at };
    }
    if (kind !== commandSegment64) continue;
    const name = file.toString("latin1", at + 8, at + 24).replace(/\0+$/, "");
    const range = {
      offset: Number(file.readBigUInt64LE(at + 40)),
      size: Number(file.readBigUInt64LE(at + 48)),
    };
    if (name === "__TEXT") text = range;
    if (name === "__LINKEDIT") linkEdit = { ...range, commandAt: at };
  }
  if (text === undefined || linkEdit === undefined) throw new Error("a segment is missing");
  if (signature === undefined) throw new Error("it has no place for a signature");
  if (signature.offset < linkEdit.offset || signature.offset > file.length) {
    throw new Error("its signature is not at the end of __LINKEDIT");
  }
  return { text, linkEdit, signature };
}

function* commandsOf(file: Buffer): Generator<{ readonly kind: number; readonly at: number }> {
  const count = file.readUInt32LE(16);
  const end = headerBytes + file.readUInt32LE(20);
  let at = headerBytes;
  for (let index = 0; index < count; index++) {
    const size = file.readUInt32LE(at + 4);
    if (size < 8 || at + size > end) throw new Error("its load commands are cut off");
    yield { kind: file.readUInt32LE(at), at };
    at += size;
  }
}

/** Says in the load commands that the signature, and with it the file, has another size. */
export function writeSignatureSize(file: Buffer, image: MachOImage, size: number): void {
  const { linkEdit, signature } = image;
  file.writeUInt32LE(size, signature.commandAt + 12);
  const linkEditSize = signature.offset + size - linkEdit.offset;
  const mappedAt = linkEdit.commandAt + 32;
  if (file.readBigUInt64LE(mappedAt) < BigInt(linkEditSize)) {
    file.writeBigUInt64LE(BigInt(Math.ceil(linkEditSize / vmPageBytes) * vmPageBytes), mappedAt);
  }
  file.writeBigUInt64LE(BigInt(linkEditSize), linkEdit.commandAt + 48);
}

/** Apple processors have pages of 16 KiB; a multiple of them suits Intel's too. */
const vmPageBytes = 16 * 1024;
