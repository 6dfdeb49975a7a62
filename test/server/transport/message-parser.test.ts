import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { jsonValuesMax, messageDepthMax } from "../../../src/base/limits.ts";
import { MessageParser } from "../../../src/server/transport/message-parser.ts";
import type { TransportEvent } from "../../../src/server/transport/transport.ts";
import { shareOf } from "../../fixtures/long-run.ts";

const notJson = unreadable(-32700, "Parse error: the line is not JSON");
const notUtf8 = unreadable(-32700, "Parse error: the line is not UTF-8");
const tooLong = unreadable(-32700, "Parse error: the line is longer than the limit");

function unreadable(code: number, message: string): TransportEvent {
  return { kind: "unreadable", fault: { code, message } };
}

function message(value: unknown): TransportEvent {
  return { kind: "message", value };
}

function parse(...chunks: readonly (string | Uint8Array)[]): TransportEvent[] {
  return parseWith(new MessageParser(4096, 10), chunks);
}

function parseWith(
  parser: MessageParser,
  chunks: readonly (string | Uint8Array)[],
): TransportEvent[] {
  const events = chunks.flatMap((chunk) => parser.push(Buffer.from(chunk)));
  return [...events, ...parser.end()];
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

describe("MessageParser", () => {
  test.each<[string, string | Uint8Array, TransportEvent[]]>([
    [
      "CRLF and blank lines",
      '\n\r\n{"a":1}\r\n \t\n{"b":2}\r\n',
      [message({ a: 1 }), message({ b: 2 })],
    ],
    ["no newline at the end", '{"a":1}\n{"b":2}', [message({ a: 1 }), message({ b: 2 })]],
    [
      "a bad line between good ones",
      '{"a":1}\n{\n{"b":2}\n',
      [message({ a: 1 }), notJson, message({ b: 2 })],
    ],
    ["two bad lines that would make a value", '{"a":\n1}\n', [notJson, notJson]],
    ["two values on a line", "1 2\n3\n", [notJson, message(3)]],
    [
      "two values on a line and one over two",
      '{"a":\n1}\n{"b":2} {"c":3}\n',
      [notJson, notJson, notJson],
    ],
    [
      "scalars",
      '1\n"x"\nnull\ntrue\n[]\n',
      [message(1), message("x"), message(null), message(true), message([])],
    ],
    ["a byte order mark", '\ufeff{"a":1}\n', [notJson]],
    ["NUL bytes", '\0\0\n{"a":1}\n', [notJson, message({ a: 1 })]],
    ["a raw control character", '"\t"\n', [notJson]],
    ["bad UTF-8", Buffer.from('"\xff"\n"ok"\n', "latin1"), [notUtf8, message("ok")]],
    ["an encoded surrogate", Buffer.from('"\xed\xa0\x80"\n', "latin1"), [notUtf8]],
    ["an overlong NUL", Buffer.from('"\xc0\x80"\n', "latin1"), [notUtf8]],
    ["an escaped lone surrogate", '"\\ud800"\n', [message("\ud800")]],
    ["beyond ASCII", '"é😀\u2028"\n', [message("é😀\u2028")]],
    ["a line at the limit", `"${"x".repeat(4094)}"\n`, [message("x".repeat(4094))]],
    ["a line above the limit", `"${"x".repeat(4095)}"\n1\n`, [tooLong, message(1)]],
  ])("reads %s", (_name, input, expected) => {
    expect(parse(input)).toEqual(expected);
  });

  test("keeps __proto__ a plain key", () => {
    const [event] = parse('{"__proto__":{"x":1}}\n');
    const value: object = event?.kind === "message" ? Object(event.value) : {};
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("U-utf: joins a character that is split over two chunks", () => {
    const whole = Buffer.from('"😀"\n');
    expect(parse(whole.subarray(0, 3), whole.subarray(3))).toEqual([message("😀")]);
  });

  test.each<[number, TransportEvent["kind"]]>([
    [messageDepthMax - 1, "message"],
    [messageDepthMax, "message"],
    [messageDepthMax + 1, "unreadable"],
    [100_000, "unreadable"],
  ])("nesting of %d levels is a %s", (depth, kind) => {
    const parser = new MessageParser();
    const events = parser.push(Buffer.from(`${nested(depth)}\n1\n`));
    expect(events.map((event) => event.kind)).toEqual([kind, "message"]);
  });

  test("says what is wrong with a deep message", () => {
    expect(parse(`${nested(11)}\n`)).toEqual([
      unreadable(-32600, "Invalid request: the line has more than 10 levels"),
    ]);
  });

  test("refuses a line of more values than may be parsed, and reads the next", () => {
    const parser = new MessageParser();
    const line = (count: number): string => `[${"[],".repeat(count - 1)}0]\n`;
    const events = [jsonValuesMax / 2, jsonValuesMax].flatMap((count) =>
      parser.push(Buffer.from(line(count))),
    );
    expect(events.map((event) => event.kind)).toEqual(["message", "unreadable"]);
    expect(events[1]).toEqual(
      unreadable(-32600, `Invalid request: the line has more than ${jsonValuesMax} values`),
    );
    expect(parser.push(Buffer.from("1\n"))).toEqual([{ kind: "message", value: 1 }]);
  });

  test.each<[string, string]>([
    ["values", "[],".repeat(jsonValuesMax / 2 + 1)],
    ["values behind a long text", `"${"x".repeat(200_000)}",${"[],".repeat(jsonValuesMax)}`],
    ["levels", "[".repeat(100_000)],
    ["nothing of it too much", `"${'\\"[{,'.repeat(100_000)}",`],
    ["many values, but not too many", "[],".repeat(jsonValuesMax / 2 - 10)],
  ])("a long line in pieces is read as in one, and so is the next: %s", (_, content) => {
    const line = Buffer.from(`[${content}0]\n`);
    const expected = parseWith(new MessageParser(), [line, "1\n"]);
    for (const size of [10_000, 65_536, line.length - 1]) {
      const pieces = Array.from({ length: Math.ceil(line.length / size) }, (_piece, at) =>
        line.subarray(at * size, (at + 1) * size),
      );
      expect(parseWith(new MessageParser(), [...pieces, "1\n"])).toEqual(expected);
    }
    expect(expected.at(-1)).toEqual({ kind: "message", value: 1 });
  });

  test("a line is refused when it is known to be too much, before its end has come", () => {
    const parser = new MessageParser();
    const events = parser.push(Buffer.from(`[${"[],".repeat(jsonValuesMax)}`));
    expect(events).toEqual([
      unreadable(-32600, `Invalid request: the line has more than ${jsonValuesMax} values`),
    ]);
    expect(parser.push(Buffer.from("[],[],0]\n1\n"))).toEqual([{ kind: "message", value: 1 }]);
  });

  test("gives the same for one chunk, for lines apart and for single bytes", () => {
    const line = fc.oneof(
      fc.json({ maxDepth: 2 }),
      fc.constantFrom(
        "",
        " ",
        "\r",
        "{",
        "}",
        "1 2",
        '{"a":',
        "1}",
        "\ufeff1",
        "nul",
        '"\\',
        nested(11),
      ),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const input = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        const expected = parse(input);
        expect(parse(...lines.map((text) => `${text}\n`))).toEqual(expected);
        expect(parse(...Array.from(input, (byte) => Uint8Array.of(byte)))).toEqual(expected);
      }),
      { numRuns: shareOf(1000) },
    );
  });

  test("agrees with JSON.parse line by line", () => {
    const line = fc.oneof(fc.json({ maxDepth: 2 }), fc.string({ unit: "grapheme", maxLength: 6 }));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        const text = lines
          .map((part) => `${part}\n`)
          .join("")
          .toWellFormed();
        expect(parse(text)).toEqual(
          text
            .split("\n")
            .filter((part) => !/^[ \t\r]*$/.test(part))
            .map(readLine),
        );
      }),
      { numRuns: shareOf(1000) },
    );
  });
});

function readLine(line: string): TransportEvent {
  try {
    return message(JSON.parse(line));
  } catch {
    return notJson;
  }
}
