import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { StaticTokens } from "../../src/auth/static-tokens.ts";
import { parseTokenList } from "../../src/auth/token-list.ts";
import { AppError, messageOf } from "../../src/base/errors.ts";

const a = "a".repeat(16);
const b = "b".repeat(16);

/** Whom each of the tokens stands for. */
function principalsOf(text: string, ...tokens: string[]): unknown[] {
  const list = parseTokenList(text, "f");
  const known = new StaticTokens({ current: () => list });
  return tokens.map((token) => known.find(token));
}

describe("parseTokenList()", () => {
  test.each([
    ["a bare token", a],
    ["spaces, tabs, comments, empty lines", `# x\n\n \t${a}\t # mine\n  #${b}\n`],
    ["a byte order mark and CR LF", `\uFEFF${a}\r\n`],
  ])("%s: one principal called default that may do everything", (_, text) => {
    expect(principalsOf(text, a, b)).toEqual([
      { id: "token:default", scopes: undefined },
      undefined,
    ]);
  });

  test("a label and scopes", () => {
    const text = `laptop ${a}\nci.build-1\t${b}  tools:read tools:use # of the builds`;
    expect(principalsOf(text, a, b)).toEqual([
      { id: "token:laptop", scopes: undefined },
      { id: "token:ci.build-1", scopes: new Set(["tools:read", "tools:use"]) },
    ]);
  });

  test.each([15, 16, 17])("a token of %d characters: 16 is the least", (length) => {
    const parse = () => parseTokenList("t".repeat(length), "f").length;
    if (length >= 16) return expect(parse()).toBe(1);
    expect(parse).toThrow(
      'Line 1 of f has a token of fewer than 16 characters: make one with "openssl rand -hex 32".',
    );
  });

  test.each([8191, 8192, 8193])("a token of %d characters: 8192 is the most", (length) => {
    const parse = () => parseTokenList("t".repeat(length), "f").length;
    if (length <= 8192) return expect(parse()).toBe(1);
    expect(parse).toThrow(
      "Line 1 of f has a token of more than 8192 characters: make a shorter one.",
    );
  });

  test.each([999, 1000, 1001])("%d tokens: 1000 is the most", (count) => {
    const lines = Array.from({ length: count }, (_, index) => `l${index} ${a}${index}`);
    const parse = () => parseTokenList(lines.join("\n"), "f").length;
    if (count <= 1000) return expect(parse()).toBe(count);
    expect(parse).toThrow("Line 1001 of f is one token too many: 1000 at most.");
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
  ])("%p is refused", (text, message) => {
    expect(() => parseTokenList(text, "f")).toThrow(new AppError("config", message));
  });

  test("whatever is in the file, no word of it is in an error", () => {
    const word = fc.stringMatching(/^[!-~\u00e4]{10,24}$/);
    const line = fc.array(word, { maxLength: 4 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
        try {
          parseTokenList(lines.join("\n"), "f");
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          const words = lines.flatMap((text) => text.split(" ")).filter((text) => text !== "");
          expect(words.filter((text) => messageOf(error).includes(text))).toEqual([]);
        }
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
    const list = parseTokenList(`x ${a}\ny ${b}\nz ${a}${b}`, "f").map((known, index) => ({
      principal: known.principal,
      get digest() {
        compared.push(index);
        return known.digest;
      },
    }));
    expect(new StaticTokens({ current: () => list }).find(a)?.id).toBe("token:x");
    expect(compared).toEqual([0, 1, 2]);
  });
});
