import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import {
  type KnownToken,
  readTokenLines,
  StaticTokens,
} from "../../../src/server/auth/static-tokens.ts";
import { AppError } from "../../../src/base/errors.ts";

const a = "a".repeat(16);
const b = "b".repeat(16);

/** The tokens of a text that is in order. */
function tokensIn(text: string): readonly KnownToken[] {
  const { tokens, fault } = readTokenLines(text, "f");
  expect(fault).toBe(undefined);
  return tokens;
}

/** Whom each of the tokens stands for. */
function principalsOf(text: string, ...tokens: string[]): unknown[] {
  const list = tokensIn(text);
  const known = new StaticTokens({ current: () => list });
  return tokens.map((token) => known.find(token));
}

describe("readTokenLines()", () => {
  test.each([
    ["a bare token", a],
    ["spaces, tabs, comments, empty lines", `# x\n\n \t${a}\t # mine\n  #${b}\n`],
    ["a byte order mark and CR LF", `\uFEFF${a}\r\n`],
  ])("%s: one principal called default that may do everything", (_, text) => {
    expect(principalsOf(text, a, b)).toEqual([
      { id: "token:default", label: "default", scopes: undefined },
      undefined,
    ]);
  });

  test("a label and scopes", () => {
    const text = `laptop ${a}\nci.build-1\t${b}  tools:read tools:use # of the builds`;
    expect(principalsOf(text, a, b)).toEqual([
      { id: "token:laptop", label: "laptop", scopes: undefined },
      { id: "token:ci.build-1", label: "ci.build-1", scopes: new Set(["tools:read", "tools:use"]) },
    ]);
  });

  test.each([15, 16, 17])("a token of %d characters: 16 is the least", (length) => {
    const { tokens, fault } = readTokenLines("t".repeat(length), "f");
    const text =
      'Line 1 of f has a token of fewer than 16 characters: make one with "openssl rand -hex 32".';
    expect([tokens.length, fault?.message]).toEqual(length >= 16 ? [1, undefined] : [0, text]);
  });

  test.each([8191, 8192, 8193])("a token of %d characters: 8192 is the most", (length) => {
    const { tokens, fault } = readTokenLines("t".repeat(length), "f");
    const text = "Line 1 of f has a token of more than 8192 characters: make a shorter one.";
    expect([tokens.length, fault?.message]).toEqual(length <= 8192 ? [1, undefined] : [0, text]);
  });

  test.each([999, 1000, 1001])("%d tokens: 1000 is the most", (count) => {
    const lines = Array.from({ length: count }, (_, index) => `l${index} ${a}${index}`);
    const { tokens, fault } = readTokenLines(lines.join("\n"), "f");
    const text = count <= 1000 ? undefined : "Line 1001 of f is one token too many: 1000 at most.";
    expect([tokens.length, fault?.message]).toEqual([Math.min(count, 1000), text]);
  });

  test.each([
    ["", 'There is no token in f: write one, or "label token", a line.'],
    ["# only this\n", 'There is no token in f: write one, or "label token", a line.'],
    [`${a}\n${b}`, "Line 2 of f has the label of another line: one label for each token."],
    [`x ${a}\nx ${b}`, "Line 2 of f has the label of another line: one label for each token."],
    [`x ${a}\ny ${a}`, "Line 2 of f has the token of another line: one token for each label."],
    [
      `x/y ${a}`,
      'Line 1 of f has a label of other than 1 to 64 letters, digits, ".", "_", "-": write "label token scopes".',
    ],
    [
      `\n${a}!`,
      'Line 2 of f has a token with characters that a header cannot carry: use letters, digits and "-._~+/".',
    ],
    [
      `${a} tools:use`,
      'Line 1 of f has a token with characters that a header cannot carry: use letters, digits and "-._~+/".',
    ],
    [
      `x ${a} "s"`,
      "Line 1 of f has a scope with a quotation mark, a backslash or a character outside ASCII.",
    ],
  ])("%p is not in order", (text, message) => {
    expect(readTokenLines(text, "f").fault).toEqual(new AppError("config", message));
  });

  test("a line that is not in order takes nothing from the others", () => {
    const { tokens, fault } = readTokenLines(`x ${a}\nx/y ${b}\nx ${b}\nz ${b} s`, "f");
    expect(tokens.map(({ principal }) => principal)).toEqual([
      { id: "token:x", label: "x", scopes: undefined },
      { id: "token:z", label: "z", scopes: new Set(["s"]) },
    ]);
    expect(fault?.message).toStartWith("Line 2 of f ");
  });

  test("whatever is in the file, no word of it is in an error", () => {
    const word = fc.stringMatching(/^[!-~\u00e4]{10,24}$/);
    const line = fc.array(word, { maxLength: 4 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
        const { fault } = readTokenLines(lines.join("\n"), "f");
        const words = lines.flatMap((text) => text.split(" ")).filter((text) => text !== "");
        expect(words.filter((text) => fault?.message.includes(text))).toEqual([]);
      }),
    );
  });
});

describe("StaticTokens", () => {
  test("finds a token only as a whole, and case counts", () => {
    const missing = [a.slice(1), `${a}a`, a.toUpperCase(), "", `${a} `, b];
    expect(principalsOf(a, ...missing)).toEqual(missing.map(() => undefined));
  });

  test("compares with every token, wherever the right one stands", () => {
    const compared: number[] = [];
    const list = tokensIn(`x ${a}\ny ${b}\nz ${a}${b}`).map((known, index) => ({
      principal: known.principal,
      get digest() {
        compared.push(index);
        return known.digest;
      },
    }));
    const tokens = new StaticTokens({ current: () => list });
    tokens.find(b);
    // A list that is new is looked at for itself.
    compared.length = 0;
    expect(tokens.find(a)?.id).toBe("token:x");
    expect(compared).toEqual([0, 1, 2]);
  });
});
