import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { frameOf, FrameReader, linkFrameBytesMax } from "../../../src/hub/link/frames.ts";

/** The texts that a reader finds in pieces, and its fault. */
function read(pieces: readonly Uint8Array[], bytesMax = linkFrameBytesMax) {
  const texts: string[] = [];
  const reader = new FrameReader(bytesMax);
  for (const piece of pieces) {
    const fault = reader.push(piece, (text) => texts.push(text) > 0);
    // Whoever gave the chunk may use its memory again.
    piece.fill(0xff);
    if (fault !== undefined) return { texts, fault };
  }
  return { texts, fault: undefined };
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let rest = bytes.slice();
  for (let index = 0; rest.length > 0; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    pieces.push(rest.slice(0, size));
    rest = rest.slice(size);
  }
  return pieces;
}

const framed = (...texts: readonly string[]): Uint8Array =>
  Buffer.concat(texts.map((text) => frameOf(text) ?? new Uint8Array()));

describe("frames", () => {
  test("any texts in pieces of any size come out as they went in", () => {
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 300 }), { maxLength: 8 });
    const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(texts, sizes, (given, pieces) => {
        expect(read(cut(framed(...given), pieces))).toEqual({ texts: given, fault: undefined });
      }),
    );
  });

  test("a text that is larger than the buffer comes whole", () => {
    const text = "é".repeat(300_000);
    const { texts } = read(cut(framed(text, "", text), [65_537]));
    expect(texts).toEqual([text, "", text]);
  });

  test.each([
    ["at the bound it is read", 5, { texts: ["ab", "vwxyz"], fault: undefined }],
    ["above it is refused when its head has come", 4, { texts: ["ab"], fault: "too-long" }],
  ] as const)("a text %s", (_, bytesMax, expected) => {
    const bytes = framed("ab", "vwxyz");
    const wanted = expected.fault === undefined ? bytes : bytes.slice(0, 10);
    expect(read(cut(wanted, [3]), bytesMax)).toEqual({
      texts: [...expected.texts],
      fault: expected.fault,
    });
  });

  test("bytes that are not UTF-8 are a fault, and what follows them is not read", () => {
    const bad = Buffer.from([2, 0, 0, 0, 0xc3, 0x28]);
    expect(read([Buffer.concat([framed("a"), bad, framed("b")])])).toEqual({
      texts: ["a"],
      fault: "not-text",
    });
  });

  test("half a frame is no text", () => {
    expect(read([framed("abc").slice(0, 6)])).toEqual({ texts: [], fault: undefined });
  });

  test("a reader that is done after a text is given none behind it", () => {
    const texts: string[] = [];
    const reader = new FrameReader(linkFrameBytesMax);
    reader.push(framed("a", "b"), (text) => texts.push(text) === 0);
    expect(texts).toEqual(["a"]);
  });

  test("a text above the bound of a link has no frame", () => {
    expect(frameOf("x".repeat(linkFrameBytesMax + 1))).toBeUndefined();
  });
});
