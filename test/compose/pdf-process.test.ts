import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PdfProcess } from "../../src/compose/own-process.ts";
import type { PdfText } from "../../src/web/documents/read-pdf.ts";
import { SupervisorHarness } from "../commands/background/supervisor-harness.ts";
import { pdfBomb, tinyPdf } from "../web/documents/tiny-pdf.ts";
import { bundledProgram } from "./bundled-program.ts";

const folder = mkdtempSync(join(tmpdir(), "scorpiox-pdf-"));
let harness: SupervisorHarness;
let reader: PdfProcess;

beforeAll(() => {
  harness = new SupervisorHarness();
  reader = new PdfProcess(harness.supervisor, bundledProgram().command);
});

afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

let files = 0;
function read(bytes: Uint8Array, signal = new AbortController().signal): Promise<PdfText> {
  const path = join(folder, `${++files}.pdf`);
  writeFileSync(path, bytes);
  return reader.readPdf({ path }, signal);
}
const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(() => "no failure", String);

describe("PdfProcess", () => {
  test("reads a PDF in a process of its own", async () => {
    expect(await read(tinyPdf([["a"], ["b"]], { title: "T" }))).toEqual({
      title: "T",
      pageCount: 2,
      pages: ["a", "b"],
    });
  });

  test.each([
    [
      "encrypted",
      tinyPdf([["x"]], { isEncrypted: true }),
      "AppError: The PDF is encrypted and needs a password, so it cannot be read.",
    ],
    ["broken", new Uint8Array([1, 2, 3]), "AppError: The PDF is broken and cannot be read: "],
  ])("says that one is %s", async (_name, bytes, message) => {
    expect(await failureOf(read(bytes))).toStartWith(message);
  });

  test("ends for one that unpacks to gigabytes, and says so", async () => {
    const failure = await failureOf(read(pdfBomb(3_000)));
    expect(failure).toBe(
      "AppError: The PDF takes too much memory to read: it unpacks to more than any document does.",
    );
  }, 60_000);

  test("ends with its call", async () => {
    expect(await failureOf(read(tinyPdf([["x"]]), AbortSignal.abort()))).toBe(
      "AppError: The call was cancelled.",
    );
  });

  test("more at once than there are places come one after the other", async () => {
    const texts = await Promise.all(["a", "b", "c"].map((line) => read(tinyPdf([[line]]))));
    expect(texts.map(({ pages }) => pages[0])).toEqual(["a", "b", "c"]);
  });
});
