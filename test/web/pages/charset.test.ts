import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { charsetOf, decodeText } from "../../../src/web/pages/charset.ts";
import { PageHarness } from "./page-harness.ts";

const latin1 = (text: string): Uint8Array => Buffer.from(text, "latin1");
const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");
const bytes = (...parts: (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))),
  );

const utf16be = (text: string): Uint8Array => Buffer.from(text, "utf16le").swap16();

describe("decodeText()", () => {
  const rows: [string, Uint8Array, string | undefined, string][] = [
    ["nothing said, UTF-8", utf8("süß €"), undefined, "süß €"],
    ["nothing said, no UTF-8", latin1("s\xfc\xdf \x80"), undefined, "süß €"],
    ["nothing said, ASCII", utf8("plain"), undefined, "plain"],
    ["nothing at all", new Uint8Array(), undefined, ""],
    ["a UTF-8 mark", bytes([0xef, 0xbb, 0xbf], "ü"), undefined, "ü"],
    ["a UTF-8 mark against the header", bytes([0xef, 0xbb, 0xbf], "ü"), "iso-8859-1", "ü"],
    ["a UTF-16LE mark", bytes([0xff, 0xfe], [...Buffer.from("aü€", "utf16le")]), "utf-8", "aü€"],
    ["a UTF-16BE mark", bytes([0xfe, 0xff], [...utf16be("aü€")]), undefined, "aü€"],
    ["the header, UTF-16 without mark", Buffer.from("aü", "utf16le"), "utf-16", "aü"],
    ["the header, Latin-1", latin1("s\xfc\xdf"), "iso-8859-1", "süß"],
    ["the header in capitals", latin1("s\xfc\xdf"), "ISO-8859-1", "süß"],
    ["the header, windows-1251", bytes([0xcf, 0xf0, 0xe8]), "windows-1251", "При"],
    ["the header, Shift_JIS", bytes([0x82, 0xb1, 0x82, 0xf1]), "shift_jis", "こん"],
    ["the header, EUC-JP", bytes([0xa4, 0xb3, 0xa4, 0xf3]), "euc-jp", "こん"],
    ["the header, GBK", bytes([0xc4, 0xe3]), "gbk", "你"],
    ["the header, Big5", bytes([0xa7, 0x41]), "big5", "你"],
    ["the header, EUC-KR", bytes([0xc7, 0xd1]), "euc-kr", "한"],
    [
      "the header, ISO-2022-JP",
      bytes([0x1b], "$B", [0x24, 0x33], [0x1b], "(B"),
      "iso-2022-jp",
      "こ",
    ],
    ["the header, KOI8-R", bytes([0xf0, 0xd2, 0xc9]), "koi8-r", "При"],
    ["the header, unknown", utf8("ü"), "utf-7", "ü"],
    ["the header, empty", utf8("ü"), "", "ü"],
    [
      "the header, wrong where the page says better",
      bytes("<meta charset=windows-1251>", [0xcf, 0xf0, 0xe8]),
      "utf-8",
      "<meta charset=windows-1251>При",
    ],
    [
      "one bad byte in what is right",
      bytes("<meta charset=latin1>", [...Buffer.from("üß")], [0xcf]),
      "utf-8",
      "<meta charset=latin1>üß\ufffd",
    ],
    ["the header, wrong", latin1("s\xfc\xdf"), "utf-8", "s\ufffd\ufffd"],
    [
      "the header before the meta",
      bytes('<meta charset="utf-8">', [0xfc]),
      "iso-8859-1",
      '<meta charset="utf-8">ü',
    ],
    [
      "meta charset",
      bytes("<meta charset=windows-1251>", [0xcf]),
      undefined,
      "<meta charset=windows-1251>П",
    ],
    [
      "meta http-equiv",
      bytes(`<META content='text/html; charset="gbk"' HTTP-EQUIV=Content-Type>`, [0xc4, 0xe3]),
      undefined,
      `<META content='text/html; charset="gbk"' HTTP-EQUIV=Content-Type>你`,
    ],
    [
      "meta after a header unknown",
      bytes("<meta charset=gbk>", [0xc4, 0xe3]),
      "x-none",
      "<meta charset=gbk>你",
    ],
    [
      "meta in a comment",
      bytes("<!-- <meta charset=gbk> -->", "ü"),
      undefined,
      "<!-- <meta charset=gbk> -->ü",
    ],
    [
      "meta of something else",
      bytes('<meta name="charset" content="gbk">ü'),
      undefined,
      '<meta name="charset" content="gbk">ü',
    ],
    [
      "meta http-equiv of something else",
      bytes('<meta http-equiv="refresh" content="charset=gbk">ü'),
      undefined,
      '<meta http-equiv="refresh" content="charset=gbk">ü',
    ],
    [
      "the second meta",
      bytes("<meta name=a><meta charset=gbk>", [0xc4, 0xe3]),
      undefined,
      "<meta name=a><meta charset=gbk>你",
    ],
    [
      "meta that claims UTF-16",
      bytes("<meta charset=utf-16>ü"),
      undefined,
      "<meta charset=utf-16>ü",
    ],
    [
      "meta too late",
      bytes(" ".repeat(4096), "<meta charset=gbk>ü"),
      undefined,
      `${" ".repeat(4096)}<meta charset=gbk>ü`,
    ],
    [
      "an XML declaration",
      bytes('<?xml version="1.0" encoding="ISO-8859-1"?>', [0xfc]),
      undefined,
      '<?xml version="1.0" encoding="ISO-8859-1"?>ü',
    ],
  ];
  test.each(rows)("%s", (_, body, stated, text) => {
    expect(decodeText(body, stated, false)).toBe(text);
  });

  test("half a character at a cut is left out; elsewhere it is a sign of another encoding", () => {
    const half = utf8("a€").subarray(0, 3);
    expect(decodeText(half, undefined, true)).toBe("a");
    expect(decodeText(half, "utf-8", true)).toBe("a");
    expect(decodeText(half, undefined, false)).toBe("aâ‚");
  });

  test("any bytes with any label are some text", () => {
    const label = fc.option(
      fc.oneof(
        fc.string(),
        fc.constantFrom("utf-8", "gbk", "utf-16le", "iso-2022-jp", "replacement"),
      ),
      { nil: undefined },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), label, fc.boolean(), (body, stated, isCut) => {
        expect(typeof decodeText(body, stated, isCut)).toBe("string");
      }),
    );
  });

  test("every text in UTF-8 comes out as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        fc.pre(!text.startsWith("\ufeff") && !/<meta|<\?xml/i.test(text));
        expect(decodeText(utf8(text), undefined, false)).toBe(text);
      }),
    );
  });
});

test.each([
  ["text/html", undefined],
  ["text/html; charset=utf-8", "utf-8"],
  ['text/html;CHARSET="UTF-8" ; x=y', "UTF-8"],
  ["text/html; charset='koi8-r'", "koi8-r"],
  ["text/html; charset = gbk", "gbk"],
  ["text/html; charset=", undefined],
  ['text/html; charset=""', ""],
])("charsetOf(%j) is %p", (header, expected) => {
  expect(charsetOf(header)).toBe(expected);
});

test("a page in another character set, end to end", async () => {
  const body = bytes("<meta charset=shift_jis><p>", [0x82, 0xb1, 0x82, 0xf1]);
  await using harness = new PageHarness(
    () => new Response(Buffer.from(body), { headers: { "Content-Type": "text/html" } }),
  );
  expect(await harness.text("/")).toBe("<meta charset=shift_jis><p>こん");
});
