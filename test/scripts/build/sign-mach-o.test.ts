import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { readMachO } from "../../../scripts/build/mach-o.ts";
import { checkMachO, withSignature } from "../../../scripts/build/sign-mach-o.ts";

const vmPage = 16 * 1024;

interface Shape {
  /** Bytes of the text segment, and of what stands in `__LINKEDIT` before the signature. */
  readonly text: number;
  readonly linked: number;
  /** Bytes of the signature that stands there. */
  readonly stale: number;
}

/** A Mach-O file with the segments and commands that a signature has to do with, and a stale signature. */
function machO({ text, linked, stale }: Shape): Buffer {
  const textSize = Math.ceil(text / vmPage) * vmPage;
  const signatureAt = textSize + Math.ceil(linked / 16) * 16;
  const file = Buffer.alloc(signatureAt + stale, 0x5a);
  const commands = [
    segment("__TEXT", 0, textSize),
    segment("__LINKEDIT", textSize, file.length - textSize),
    numbers(0x1d, 16, signatureAt, stale),
  ];
  const all = Buffer.concat(commands);
  numbers(0xfeedfacf, 0x01000007, 3, 2, commands.length, all.length, 0, 0).copy(file);
  all.copy(file, 32);
  return file;
}

function segment(name: string, offset: number, size: number): Buffer {
  const command = Buffer.alloc(72);
  numbers(0x19, 72).copy(command);
  command.write(name, 8, "latin1");
  [offset, Math.ceil(size / vmPage) * vmPage, offset, size].forEach((value, index) =>
    command.writeBigUInt64LE(BigInt(value), 24 + index * 8),
  );
  return command;
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32LE(value, index * 4));
  return bytes;
}

const shapes = fc.record({
  text: fc.integer({ min: 1_000, max: 200_000 }),
  linked: fc.integer({ min: 0, max: 20_000 }),
  stale: fc.integer({ min: 0, max: 20_000 }),
});

describe("withSignature()", () => {
  test("covers every byte before it, in the sizes that the load commands give", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const file = machO(shape);
        const { offset } = readMachO(file).signature;
        const signed = withSignature(file, "scorpiox-code");
        const { signature, linkEdit } = readMachO(signed);
        expect(checkMachO(signed)).toEqual({
          identifier: "scorpiox-code",
          pages: Math.ceil(offset / 4096),
          wrong: 0,
          uncovered: 0,
        });
        expect([signature.offset, signature.offset + signature.size]).toEqual([
          offset,
          signed.length,
        ]);
        expect(linkEdit.offset + linkEdit.size).toBe(signed.length);
      }),
      { numRuns: 50 },
    );
  });

  test("is the same for the same bytes, also over a file that it has signed", () => {
    const once = withSignature(machO({ text: 70_000, linked: 5_000, stale: 300 }), "a");
    expect(withSignature(once, "a").equals(once)).toBe(true);
  });

  test("changes nothing but the sizes in the load commands", () => {
    const file = machO({ text: 70_000, linked: 5_000, stale: 300 });
    const { signature, linkEdit } = readMachO(file);
    const signed = withSignature(file, "a");
    const spans = [signature.commandAt + 12, linkEdit.commandAt + 32, linkEdit.commandAt + 48];
    const changed = [...file.subarray(0, signature.offset)].flatMap((byte, index) =>
      byte === signed[index] ? [] : [index],
    );
    expect(changed.filter((at) => !spans.some((from) => at >= from && at < from + 8))).toEqual([]);
  });
});

describe("checkMachO()", () => {
  test("tells each page that is not what was signed", () => {
    const signed = withSignature(machO({ text: 70_000, linked: 5_000, stale: 300 }), "a");
    signed.writeUInt8(1, 5 * 4096 + 7);
    signed.writeUInt8(1, 9 * 4096);
    expect(checkMachO(signed).wrong).toBe(2);
  });

  test("tells what no hash covers: a signature of a file that has grown since", () => {
    const small = withSignature(machO({ text: 70_000, linked: 0, stale: 0 }), "a");
    const { signature } = readMachO(small);
    const old = small.subarray(signature.offset);
    const grown = machO({ text: 70_000, linked: 8_192, stale: old.length });
    old.copy(grown, readMachO(grown).signature.offset);
    expect(checkMachO(grown)).toMatchObject({ uncovered: 8_192 });
  });

  test.each<[string, Buffer, string]>([
    ["ELF", Buffer.from("\x7fELF".padEnd(64, "\0"), "latin1"), "no 64-bit Mach-O"],
    ["empty", Buffer.alloc(0), "no 64-bit Mach-O"],
    ["unsigned", machO({ text: 9_000, linked: 0, stale: 64 }), "no signature where"],
    ["cut off", machO({ text: 9_000, linked: 0, stale: 64 }).subarray(0, 60), ""],
  ])("refuses what is %s", (_name, file, reason) => {
    expect(() => checkMachO(file)).toThrow(reason);
  });
});
