import { describe, expect, test } from "bun:test";

import { withoutZeros } from "../../../scripts/build/elf.ts";

const page = 0x1000;
const address = 0x20_0000;
const variableBytes = 5 * page;
const data = Buffer.from("what Bun adds");

interface Shape {
  readonly noteAt?: number;
  readonly zeros?: number;
  readonly dataAddress?: number;
  readonly magic?: string;
}

/** A segment with a page of the linker's bytes, five pages of unset variables, and the data of Bun behind them, as Bun writes it. */
function executable({
  noteAt = 1,
  zeros = 0,
  dataAddress,
  magic = "\u007fELF",
}: Shape = {}): Buffer {
  const linked = page + 0x100;
  const added = 2 * page + variableBytes;
  const end = added + data.length;
  const file = Buffer.alloc(end + 4 * 64);
  file.write(`${magic}\u0002\u0001`, "latin1");
  const put = (at: number, ...values: readonly number[]): void => {
    for (const [index, value] of values.entries()) {
      file.writeBigUInt64LE(BigInt(value), at + index * 8);
    }
  };
  put(32, 64, end);
  file.writeUInt16LE(2, 56);
  file.writeUInt16LE(4, 60);
  const segment = (index: number, type: number, ...values: readonly number[]): void => {
    file.writeUInt32LE(type, 64 + index * 56);
    put(64 + index * 56 + 8, ...values);
  };
  segment(1 - noteAt, 1, page, address, address, end - page, end - page, page);
  segment(noteAt, 4, 0x100, 0x1000_0100, 0x1000_0100, 0x44, 0x44, 4);
  const section = (index: number, type: number, ...values: readonly number[]): void => {
    file.writeUInt32LE(type, end + index * 64 + 4);
    put(end + index * 64 + 16, ...values);
  };
  section(0, 1, address, page, linked - page);
  section(1, 8, address + 0x100, linked, variableBytes);
  section(2, 1, dataAddress ?? address + added - page, added, data.length);
  section(3, 3, 0, end, 1);
  file.fill("linker", page, linked);
  file.fill(zeros, linked, added);
  data.copy(file, added);
  return file;
}

/** Type, offset, address, bytes in the file and in memory of both segments. */
function segments(file: Buffer): readonly (readonly number[])[] {
  return [64, 64 + 56].map((at) => [
    file.readUInt32LE(at),
    ...[8, 16, 32, 40].map((field) => Number(file.readBigUInt64LE(at + field))),
  ]);
}

describe("withoutZeros", () => {
  test("gives the data a segment of its own, at its address", () => {
    const file = executable();
    const made = withoutZeros(file);
    const added = address + 0x1000 + variableBytes;
    expect(segments(made)).toEqual([
      [1, page, address, 0x100, 0x100 + variableBytes],
      [1, 2 * page, added, data.length, data.length],
    ]);
    expect(made.subarray(2 * page, 2 * page + data.length)).toEqual(data);
    expect(made.length).toBe(file.length - variableBytes);
  });

  test("moves the table of sections, and the sections behind the zeros", () => {
    const file = executable();
    const made = withoutZeros(file);
    const sectionsAt = Number(made.readBigUInt64LE(40));
    const offsets = [0, 1, 2, 3].map((index) =>
      Number(made.readBigUInt64LE(sectionsAt + index * 64 + 24)),
    );
    expect([sectionsAt, offsets]).toEqual([
      2 * page + data.length,
      [page, page + 0x100, 2 * page, 2 * page + data.length],
    ]);
  });

  test.each<[string, Shape]>([
    ["no ELF", { magic: "MZ\u0000\u0000" }],
    ["the notes before the segment", { noteAt: 0 }],
    ["bytes where the variables are", { zeros: 1 }],
    ["data in the last page of the variables", { dataAddress: address + variableBytes + 0x800 }],
  ])("%s is refused", (_name, shape) => {
    expect(() => withoutZeros(executable(shape))).toThrow(/this Bun writes the .* in another form/);
  });
});
