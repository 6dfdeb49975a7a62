import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { safeCss } from "../../../../src/tools/images/decode/safe-svg.ts";
import { safeSvg } from "../../../../src/tools/images/decode/safe-svg.ts";

const inSvg = (content: string): string => `<svg xmlns="s">${content}</svg>`;

describe("safeSvg()", () => {
  test.each([
    ["<rect a=\"1\" b='2'/>", '<rect a="1" b="2"/>'],
    ["<text>a &lt; b &#233;</text>", "<text>a &lt; b &#233;</text>"],
    ["<text>href=\"x' here</text>", "<text>href=\"x' here</text>"],
    ['<use href="#a"/>', '<use href="#a"/>'],
    ["<rect fill=\"url('#a')\"/>", "<rect fill=\"url('#a')\"/>"],
    ['<image href="data:image/png;base64,AA"/>', '<image href="data:image/png;base64,AA"/>'],
    ["<style>.a > .b { fill: url(#a) }</style>", "<style>.a &gt; .b { fill: url(#a) }</style>"],
    ["<style><![CDATA[.a > .b {}]]></style>", "<style>.a &gt; .b {}</style>"],
    ["<text><![CDATA[<script>]]></text>", "<text>&lt;script&gt;</text>"],
  ])("keeps what draws: %s", (content, expected) => {
    expect(safeSvg(inSvg(content))).toBe(inSvg(expected));
  });

  test.each([
    ["<text>1 < 2</text>", "it has a tag without a name"],
    ["<rect a=1/>", "is incomplete"],
    ["<rect", "is incomplete"],
    ["<!-- a", 'it lacks "-->"'],
    ["<!ELEMENT a ANY>", "a declaration that SVG does not have"],
  ])("refuses what is not well-formed: %s", (content, message) => {
    expect(() => safeSvg(inSvg(content))).toThrow(message);
  });

  test.each([
    ["<script>a</script>", ""],
    ["<script><script/><g></g></script><rect/>", "<rect/>"],
    ["<x:script xmlns:x='s'/>", ""],
    ["<foreignObject><iframe src='http://a/'/></foreignObject>", ""],
    ["<xi:include href='/etc/passwd' parse='text'/>", ""],
    ['<rect onload="a()" OnClick="b()"/>', "<rect/>"],
    ['<image href="/a.png"/>', "<image/>"],
    ['<image x:href = "file:///a.png"/>', "<image/>"],
    ['<image href="&#104;ttp://a/"/>', "<image/>"],
    ['<image href="data:image/svg+xml,&lt;svg/>"/>', "<image/>"],
    ['<a xml:base="http://a/"/>', "<a/>"],
    ['<rect fill="url(/a.svg#b)"/>', '<rect fill=" none "/>'],
    ['<rect style="fill:u&#114;l(//a/)"/>', '<rect style="fill: none "/>'],
    ["<style>@import 'http://a/'; a {}</style>", "<style>  a {}</style>"],
    ["<style>@im<!-- -->port 'http://a/';</style>", "<style> </style>"],
    ["<?xml-stylesheet href='http://a/'?><!-- a -->", ""],
  ])("leaves out what runs or fetches: %s", (content, expected) => {
    expect(safeSvg(inSvg(content))).toBe(inSvg(expected));
  });

  test.each([
    ['<!DOCTYPE svg [<!ENTITY a "b">]>', undefined],
    ['<!DOCTYPE svg [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>', undefined],
    ['<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://a/svg11.dtd">', inSvg("")],
    ["<!DOCTYPE svg [<!ATTLIST g a CDATA #IMPLIED>]>", inSvg("")],
  ])("of a document type: %s", (doctype, expected) => {
    expect(safeSvg(`<?xml version="1.0"?>\n${doctype}${inSvg("")}`.trim())).toBe(
      expected === undefined ? undefined : `\n${expected}`,
    );
  });

  test("whatever is put together of its parts, no entity and no way out is left", () => {
    const part = fc.constantFrom(
      ..."<![CDATA[|]]>|<!--|-->|<!DOCTYPE svg [|]>|<!ENTITY x SYSTEM 'y'>|<style>|</style>|<g a=\"|\"/>|<g>|</g>".split(
        "|",
      ),
      ..."url(|)|/etc/x|@import|;|href='/etc/x'|<image |/>|&#117;rl(/etc/x)|\\75rl(|<script>|</script>|<?x ?>".split(
        "|",
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const written = rewritten(inSvg(parts.join("")));
        expect(written).not.toMatch(/<!|<\?|<script|href="\/|@import[^<]*;|\burl\(\/etc/);
      }),
      { numRuns: 2_000, examples: [[["<image ", "\\75rl(", "href='/etc/x'", "/>"]]] },
    );
  });
});

/** Without the text between tags, which may look like anything. */
function rewritten(svg: string): string {
  try {
    return (safeSvg(svg) ?? "").replaceAll(/>[^<]*/g, ">");
  } catch {
    return "";
  }
}

describe("safeCss()", () => {
  test.each([
    [String.raw`.a\:b { fill: url("#c") }`, String.raw`.a\:b { fill: url("#c") }`],
    [String.raw`fill: \75rl(/etc/x)`, "fill:  none "],
    [String.raw`@\69mport "a.css"; b {}`, "  b {}"],
    ["@im@import x;port 'a';", "@im port 'a';"],
    ["content: '/*'; fill: url(/a); b: '*/'", "content: '/*'; fill:  none ; b: '*/'"],
    ["src: url( 'http://a/b' ), url(c", "src:  none ,  none "],
  ])("%s", (css, expected) => {
    expect(safeCss(css)).toBe(expected);
  });
});
