import { describe, expect, test } from "bun:test";

import { readPdf } from "../../../src/web/documents/read-pdf.ts";
import { readDocument } from "../../../src/web/documents/read-document.ts";
import type { LoadedPage } from "../../../src/web/pages/page-url.ts";
import { tinyPdf } from "./tiny-pdf.ts";

const pdfPage = (bytes: Uint8Array): LoadedPage => ({
  url: "https://x.org/report.pdf",
  finalUrl: "https://x.org/report.pdf",
  status: 200,
  contentType: "application/pdf",
  body: { kind: "bytes", base64: Buffer.from(bytes).toString("base64") },
  via: "fetch",
  isCached: false,
  notes: [],
});
const readIt = (bytes: Uint8Array) =>
  readDocument(pdfPage(bytes), { kind: "pdf" }, "markdown", readPdf);

describe("a PDF", () => {
  test("is its pages, with their numbers and its title", async () => {
    const pdf = tinyPdf([["Hello", "world"], [], ["The end"]], { title: "Report" });
    expect(await readIt(pdf)).toEqual({
      title: "Report",
      text: "## Page 1 of 3\n\nHello\nworld\n\n## Page 2 of 3\n\n(no text on this page)\n\n## Page 3 of 3\n\nThe end",
      syntax: "markdown",
      notes: ["PDF with 3 pages."],
    });
  });

  test("without text says so", async () => {
    const { title, notes } = await readIt(tinyPdf([[]]));
    expect({ title, notes }).toEqual({
      title: "report.pdf",
      notes: ["PDF with 1 page.", "None of its pages contains text: they may be scanned images."],
    });
  });

  const rows: [string, Uint8Array, string][] = [
    [
      "that is encrypted",
      tinyPdf([["x"]], { isEncrypted: true }),
      "AppError: The PDF is encrypted and needs a password, so it cannot be read.",
    ],
    [
      "that is none",
      new TextEncoder().encode("nothing of the kind"),
      "AppError: The PDF is broken and cannot be read: ",
    ],
    ["that is empty", new Uint8Array(), "AppError: The PDF is broken and cannot be read: "],
  ];
  test.each(rows)("%s is refused with the reason", async (_name, bytes, message) => {
    const failure: unknown = await readIt(bytes).catch((error: unknown) => error);
    expect(String(failure)).toStartWith(message);
  });

  test("of which half is missing is read as far as it goes, or refused", async () => {
    const whole = tinyPdf([["first"], ["second"]]);
    const result = await readIt(whole.slice(0, whole.length / 2)).catch(String);
    expect(typeof result === "string" ? result : result.text).toMatch(/broken|first/);
  });
});
