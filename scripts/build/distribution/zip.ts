import { crc32, deflateRawSync } from "node:zlib";

import { deflateOf, type Entry, type Program } from "./program.ts";

const deflateMethod = 8;
/** 1980-01-01, the first day that a zip can name. */
const dosDate = 0x21;
const madeByUnix = 3 << 8;
const version = 20;
const utf8Names = 0x0800;
const regularFile = 0o100000;

/** A zip of `entries`, sorted by path, with their Unix modes. The program in it is the part that is packed already. */
export function packZip(entries: readonly Entry[], program: Program): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const name = Buffer.from(entry.path);
    const { deflated, crc } =
      entry.bytes === program.bytes
        ? deflateOf(program.gz)
        : {
            deflated: deflateRawSync(entry.bytes, { level: 9 }),
            crc: crc32(entry.bytes),
          };
    const common = commonFields(crc, deflated.length, entry.bytes.length, name.length);
    directory.push(centralHeader(common, entry.mode, offset), name);
    parts.push(Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), common]), name);
    parts.push(Buffer.from(deflated));
    offset += 4 + common.length + name.length + deflated.length;
  }
  const index = Buffer.concat(directory);
  return Buffer.concat([...parts, index, endOfDirectory(entries.length, index.length, offset)]);
}

/** From the version that is needed to the length of the extra field: both headers of a file have these. */
function commonFields(crc: number, packed: number, bytes: number, name: number): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(version, 0);
  fields.writeUInt16LE(utf8Names, 2);
  fields.writeUInt16LE(deflateMethod, 4);
  fields.writeUInt16LE(dosDate, 8);
  fields.writeUInt32LE(crc, 10);
  fields.writeUInt32LE(packed, 14);
  fields.writeUInt32LE(bytes, 18);
  fields.writeUInt16LE(name, 22);
  return fields;
}

function centralHeader(common: Buffer, mode: number, offset: number): Buffer {
  const head = Buffer.alloc(6);
  head.write("PK\u0001\u0002", 0, "latin1");
  head.writeUInt16LE(madeByUnix | version, 4);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(((regularFile | mode) << 16) >>> 0, 6);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([head, common, tail]);
}

function endOfDirectory(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", 0, "latin1");
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}
