import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { isUncalledJson, sniffType } from "../../../src/web/pages/sniff-type.ts";
import { signatureOf, typeSignatures } from "../../../src/web/pages/sniff-type.ts";
import { PageHarness } from "./page-harness.ts";

const from = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))),
  );

const png = from([0x89], "PNG\r\n", [0x1a, 0x0a, 0, 0, 0, 13]);
const jpeg = from([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
const zip = from("PK", [3, 4, 20, 0]);
const noise = from("x", [0, 1, 2]);
const page = from("<!doctype html><p>");
const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

describe("sniffType()", () => {
  const rows: [declared: string, Uint8Array, contentType: string, kind: string][] = [
    // What fits is believed.
    ["text/html", page, "text/html", "text"],
    ["application/xhtml+xml", from('<?xml version="1.0"?><html>'), "application/xhtml+xml", "text"],
    ["text/plain", from("plain"), "text/plain", "text"],
    ["text/markdown", from("# A <b>title</b>"), "text/markdown", "text"],
    ["text/markdown", page, "text/markdown", "text"],
    ["application/json", from("{}"), "application/json", "text"],
    ["application/ld+json", from("{}"), "application/ld+json", "text"],
    ["application/rss+xml", from("<?xml version='1.0'?><rss>"), "application/rss+xml", "text"],
    ["text/xml", from("<?xml version='1.0'?><rss>"), "text/xml", "text"],
    ["application/toml", from("a = 1"), "application/toml", "text"],
    ["text/javascript", from("<html>"), "text/javascript", "text"],
    ["application/x-php", page, "application/x-php", "text"],
    ["image/svg+xml", from("<svg xmlns='x'>"), "image/svg+xml", "text"],
    ["application/pdf", from("%PDF-1.4"), "application/pdf", "bytes"],
    ["image/png", png, "image/png", "none"],
    ["application/zip", zip, "application/zip", "none"],
    [docx, zip, docx, "none"],
    ["application/x-own", noise, "application/x-own", "none"],
    // A few bytes of a terminal in a text are a text.
    ["text/html", from("<p>bell", [7], "x".repeat(100)), "text/html", "text"],
    ["text/plain", from("x".repeat(100), [0]), "text/plain", "text"],
    ["application/octet-stream", from("x".repeat(100), [0]), "application/octet-stream", "none"],
    ["text/html", from("x".repeat(97), [0, 1]), "application/octet-stream", "none"],
    ["text/html", from("PK", [3, 4], "x".repeat(500)), "application/zip", "none"],
    // Plain text shows markup as it is.
    ["text/plain", page, "text/plain", "text"],
    // Nothing is said, or nothing that means anything.
    ["", page, "text/html", "text"],
    ["", from("  <!-- c --> <HTML>"), "text/html", "text"],
    ["", from([0xef, 0xbb, 0xbf], "<html>"), "text/html", "text"],
    ["", from("<?xml version='1.0'?><!-- <html> --><feed>"), "application/atom+xml", "text"],
    ["", from("<rdf:RDF>"), "application/rdf+xml", "text"],
    ["", from("<?xml version='1.0'?><!DOCTYPE html><html>"), "text/html", "text"],
    ["", from("<?xml version='1.0'?><own>"), "application/xml", "text"],
    ["", from("<svg>"), "image/svg+xml", "text"],
    ["", from("<own> tag"), "text/plain", "text"],
    ["", from("plain"), "text/plain", "text"],
    ["", new Uint8Array(), "text/plain", "text"],
    ["application/octet-stream", page, "text/html", "text"],
    ["application/octet-stream", from("plain"), "text/plain", "text"],
    ["application/octet-stream", from("%PDF-1.7"), "application/pdf", "bytes"],
    ["binary/octet-stream", png, "image/png", "none"],
    ["application/octet-stream", noise, "application/octet-stream", "none"],
    ["", noise, "application/octet-stream", "none"],
    // What is said contradicts the bytes.
    ["text/html", png, "image/png", "none"],
    ["text/html", jpeg, "image/jpeg", "none"],
    ["text/html", noise, "application/octet-stream", "none"],
    ["text/plain", zip, "application/zip", "none"],
    ["image/png", jpeg, "image/jpeg", "none"],
    ["image/png", page, "text/html", "text"],
    ["image/png", from("Not found"), "text/plain", "text"],
    ["application/pdf", page, "text/html", "text"],
    ["application/pdf", noise, "application/octet-stream", "none"],
    ["application/pdf", from("\n\n%PDF-1.4"), "application/pdf", "bytes"],
    ["text/html", from("%PDF-1.4"), "application/pdf", "bytes"],
    ["text/html", from("about %PDF-1.4"), "text/html", "text"],
    ["application/json", page, "text/html", "text"],
    ["text/xml", page, "text/html", "text"],
    ["text/html", from("<?xml version='1.0'?><rss>"), "application/rss+xml", "text"],
    ["application/zip", from("Forbidden"), "text/plain", "text"],
    // Words that look like signatures.
    ["", from("BMW and others"), "text/plain", "text"],
    ["", from("MZ and others"), "text/plain", "text"],
    ["", from("GIF89a and others"), "text/plain", "text"],
  ];
  test.each(rows)("%j with %p is %s, %s", (declared, start, contentType, kind) => {
    expect(sniffType({ declared, charset: undefined, start })).toEqual({
      contentType,
      kind: kind as "text",
    });
  });

  test("UTF-16 is text, when its mark or the header says so", () => {
    const text = Buffer.from("<p>a", "utf16le");
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), text]);
    const sniff = (start: Uint8Array, charset?: string): string =>
      sniffType({ declared: "text/html", charset, start }).kind;
    expect([sniff(marked), sniff(text, "UTF-16LE"), sniff(text)]).toEqual(["text", "text", "none"]);
  });

  test("whatever is said and comes is some type and some kind", () => {
    const declared = fc.oneof(fc.string(), fc.constantFrom("", "text/html", "application/pdf"));
    fc.assert(
      fc.property(declared, fc.uint8Array({ maxLength: 100 }), (type, start) => {
        const { contentType, kind } = sniffType({ declared: type, charset: undefined, start });
        expect(contentType).not.toBe("");
        expect(["text", "bytes", "none"]).toContain(kind);
      }),
    );
  });
});

test.each(typeSignatures.map(({ type, bytes }) => [type, bytes] as const))(
  "signatureOf() finds %s",
  (type, bytes) => {
    const file = Buffer.concat([Buffer.from(bytes.map((byte) => byte ?? 0x7f)), Buffer.alloc(8)]);
    expect(signatureOf(file)?.type).toBe(type);
    expect(signatureOf(file.subarray(0, bytes.length - 1))?.type).not.toBe(type);
  },
);

test.each([
  ["text/html", '{"a": [1]}', true],
  ["", " [1, 2]\n", true],
  ["application/octet-stream", "{}", true],
  ["text/html", "{{ template }}", false],
  ["text/html", "<p>", false],
  ["text/plain", "{}", false],
  ["text/html", "[1", false],
  ["text/html", "", false],
  ["text/html", `"${"a".repeat(100)}"`, false],
])("isUncalledJson(%j, %j) is %p", (declared, text, expected) => {
  expect(isUncalledJson(declared, text)).toBe(expected);
});

test.each([
  [1024 * 1024, true],
  [1024 * 1024 + 1, false],
])("a list of %i characters is taken for JSON: %p", (length, expected) => {
  expect(isUncalledJson("text/html", `[${" ".repeat(length - 2)}]`)).toBe(expected);
});

test.each([
  ["text/html", '{"a":1}', "application/json"],
  ["TEXT/HTML;charset=utf-8", "<p>", "text/html"],
  ["nonsense", "<html>", "text/html"],
  ["text/html, text/html", "<p>", "text/html"],
])("a page with the header %j and the body %j is %s", async (header, body, contentType) => {
  await using harness = new PageHarness(
    () => new Response(body, { headers: { "Content-Type": header } }),
  );
  expect((await harness.page("/")).contentType).toBe(contentType);
});
