import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { tomlCharsMax } from "../../../src/base/upstream-limits.ts";
import { parseJsonc, parseToml } from "../../../src/upstream/config/parse-server-file.ts";

const ok = `# first\n[mcp.servers.a]\ncommand = "x"\nnote = """two\nlines"""\n\n`;

describe("[GW-01] parseToml() says where", () => {
  test.each([
    ["command = x", 1, 11],
    [`${ok}x = "open`, 7, 5],
    [`${ok}x = """open\nfor ever\n`, 7, 7],
    [`${ok}= 1\ny = 2\n`, 7, 1],
    [`${ok}x = 1\nx = 2\ny = 3`, 8, 1],
    // Of two faults the first.
    [`${ok}x = 1\nx = 2\ny = oops`, 8, 1],
    [`${ok}x = 1\ny = oops\nx = 2`, 8, 5],
    [`a.b = 1\n  a.b.c = 2\n`, 2, 5],
    [`a = {x = 1, x = 2}\n`, 1, 13],
    [`"a=b" = 1\n"a=b" = 1\n`, 2, 1],
    [`${ok}[mcp.servers.a]\n`, 7, 2],
    [`${ok}x = [1, 2\n`, 8, 1],
    [`a = 1\r\nb = \r\nc = 3\r\n`, 2, 4],
    ["\uFEFFa = 1\nb", 2, 1],
    [`x = "\\q"`, 1, 7],
    [`x = 1\n\u0000`, 2, 1],
    [`x = 1\ny = 1979-\u00005-27\n`, 2, 10],
  ] as const)("%j: line %d, column %d", (text, line, column) => {
    const parsed = parseToml(text);
    expect([parsed.kind, parsed.kind === "fault" ? parsed.place?.line : 0]).toEqual([
      "fault",
      line,
    ]);
    const found = parsed.kind === "fault" ? (parsed.place?.column ?? 0) : 0;
    expect(Math.abs(found - column)).toBeLessThanOrEqual(2);
  });

  test.each([
    ["command = x", 11],
    ["[mcp.servers.s0]", 2],
    ["command = unquoted", 11],
  ])("of %j at any line of a file of a hundred thousand characters", (fault, column) => {
    const blocks = Array.from({ length: 500 }, (_, index) => {
      return `# ${"a comment ".repeat(15)}\n[mcp.servers.s${index}]\nargs = ["-y", "#"]\n`;
    });
    for (const at of [1, 250, 500]) {
      const text = [...blocks.slice(0, at), `${fault}\n`, ...blocks.slice(at)].join("");
      expect(text.length).toBeGreaterThan(80_000);
      expect(parseToml(text)).toMatchObject({ kind: "fault", place: { line: at * 3 + 1, column } });
    }
  });

  test("of what is nested too deeply", () => {
    expect(parseToml(`a = 1\nb = ${"[".repeat(100_000)}`)).toMatchObject({
      kind: "fault",
      text: "it is nested too deeply",
      place: { line: 2 },
    });
  });

  test("but not of a file of hostile size", () => {
    expect(parseToml("#".repeat(tomlCharsMax))).toEqual({ kind: "value", value: {} });
    expect(parseToml("#".repeat(tomlCharsMax + 1))).toEqual({
      kind: "fault",
      text: "it is longer than 131072 characters",
    });
  });

  test("does not repeat what may be a secret", () => {
    expect(parseToml("token = hunter2\n")).toMatchObject({
      text: "invalid value; strings must be quoted",
    });
  });
});

/** Two texts with all that TOML has, and up to four edits in one of them. */
const damagedToml = fc
  .tuple(
    fc.constantFrom(
      `# c\n[mcp.servers.a]\ncommand = "x"\nargs = ["-y", '''l''']\nenv = { T = "s", "q k" = 'v' }\n`,
      `[[b.c]]\nd = 1e3\ne.f = 0x1F\ng = 1979-05-27T07:32:00Z\nh = """\r\na \\\n  b"""\n[[b.c]]\ni = true\n`,
    ),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat(6),
        fc.oneof(
          fc.constantFrom('"', "'", '"""', "'''", "[", "]", "{", "}", "=", ".", ",", "#", "\\"),
          fc.constantFrom("\n", "\r\n", "\r", "\t", "\0", "\u007f", "é", "\\u00e9", "\\e", "\\x41"),
          fc.constantFrom("0", "1", "-", "+", "_", "e", "inf", "true", "1979-05-27", "07:32"),
          fc.constantFrom("a = 1\n", "[a]\n", "[[b.c]]\n", "b.c = 1\n", "mcp.x = 1\n"),
        ),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([whole, edits]) =>
    edits.reduce<string>((text, [at, cut, piece]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + piece + text.slice(start + cut);
    }, whole),
  );

test("[GW-01] parseToml() takes and refuses the same texts as the runtime's own parser", () => {
  const isAccepted = (text: string): boolean => {
    try {
      Bun.TOML.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(damagedToml, (text) => {
      expect(parseToml(text).kind).toBe(isAccepted(text) ? "value" : "fault");
    }),
    { numRuns: 3000 },
  );
});

test("[GW-01] line ends of Windows are read as those of others", () => {
  expect(parseToml('a = """x\r\ny"""\r\n')).toEqual({ kind: "value", value: { a: "x\ny" } });
  expect(parseToml('a = """\r\r\n"""').kind).toBe("fault");
});

describe("[GW-03] parseJsonc()", () => {
  test.each([
    ["", { kind: "fault", text: "it is empty" }],
    ["\uFEFF", { kind: "fault", text: "it is empty" }],
    [
      "{",
      {
        kind: "fault",
        text: "it is not valid JSON (close brace expected)",
        place: { line: 1, column: 2 },
      },
    ],
    [
      `{\n  "a": 1\n  "b": 2\n}`,
      {
        kind: "fault",
        text: "it is not valid JSON (comma expected)",
        place: { line: 3, column: 3 },
      },
    ],
    [
      `{"a": 1} x`,
      {
        kind: "fault",
        text: "it is not valid JSON (invalid symbol)",
        place: { line: 1, column: 10 },
      },
    ],
    [
      `{'a': 1}`,
      {
        kind: "fault",
        text: "it is not valid JSON (invalid symbol)",
        place: { line: 1, column: 2 },
      },
    ],
    [
      `{"[{": "\\"[",\n"a": ${"[".repeat(100_000)}1${"]".repeat(100_000)}, "b": [1]}`,
      { kind: "fault", text: "it is nested too deeply", place: { line: 2, column: 100_005 } },
    ],
    [
      `\uFEFF{"a": [1, null, true,], // c\r\n /* d */ "b": "x",}\r\n`,
      { kind: "value", value: { a: [1, null, true], b: "x" } },
    ],
  ])("%.40j", (text, parsed) => {
    const found: unknown = parseJsonc(text).parsed;
    expect(found).toEqual(parsed);
  });

  test("a key named __proto__ is a key like any other", () => {
    const { parsed } = parseJsonc(`{"__proto__": {"command": "x"}, "constructor": 1}`);
    const value = parsed.kind === "value" ? parsed.value : undefined;
    expect(Object.keys(value ?? {})).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(null);
  });

  test("says what stands twice, and where objects begin", () => {
    const { parsed, duplicates, lineOf } = parseJsonc(`{\n"a": {},\n"a": {\n}}`);
    const value = parsed.kind === "value" ? parsed.value : undefined;
    expect(duplicates).toEqual([{ key: "a", line: 3 }]);
    expect([lineOf(value), lineOf(Object(value)["a"]), lineOf(1)]).toEqual([1, 3, undefined]);
  });
});

test("[GW-42] no fault tells what stands in the file as a value", () => {
  const toml = `[mcp.servers.a]\nurl = "https://h"\nheaders = { Authorization = "Bearer x" }\nenv = [1, 2]\n`;
  const json = `{"mcpServers": {"a": {"url": "https://h", "headers": {"A": "B"}, "n": [1, true]}}}`;
  const position = fc.nat(toml.length);
  const written = fc.constantFrom(
    "canary",
    '"canary',
    "'canary",
    " canary ",
    '"""canary',
    "= canary",
    ", canary",
  );
  fc.assert(
    fc.property(position, written, (at, text) => {
      const into = (file: string): string => file.slice(0, at) + text + file.slice(at);
      for (const parsed of [parseToml(into(toml)), parseJsonc(into(json)).parsed]) {
        if (parsed.kind === "fault") expect(parsed.text).not.toContain("canary");
      }
    }),
    { numRuns: 1000 },
  );
});
