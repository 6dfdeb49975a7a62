import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { decodeImage } from "../../../../src/tools/images/decode/run-decoder.ts";
import { AppError } from "../../../../src/base/errors.ts";
import { readPng } from "../read-png.ts";
import { samplePng } from "../sample-images.ts";

const folder = mkdtempSync(join(tmpdir(), "scorpiox-svg-"));
afterAll(() => rmSync(folder, { recursive: true }));
const searchPath = process.env["PATH"] ?? "";
const hasRenderer = Bun.which("rsvg-convert") !== null;
let files = 0;

/** The first pixel of what an SVG becomes, and the size of it. */
async function rendered(svg: string | Uint8Array): Promise<unknown[]> {
  const path = join(folder, `${++files}.svg`);
  writeFileSync(path, svg);
  const { bytes, width, height } = await decodeImage(path, searchPath);
  return [width, height, [...readPng(bytes).pixels.subarray(0, 4)]];
}

const drawing = (content: string, attributes = 'width="40" height="20"'): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`;
const red = '<rect width="4000" height="2000" fill="#f00"/>';
const utf16 = (text: string): Uint8Array =>
  Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

describe.skipIf(!hasRenderer)("SVG with rsvg-convert", () => {
  beforeAll(() => writeFileSync(join(folder, "blue.png"), samplePng()));

  test.each([
    ["a picture", drawing(red), 40, 20],
    ["a comment behind it", `${drawing(red)}\n<!-- made by hand -->\n`, 40, 20],
    ["millimetres", drawing(red, 'width="25.4mm" height="1in" viewBox="0 0 2 2"'), 96, 96],
    [
      "a prefix for its elements",
      '<s:svg xmlns:s="http://www.w3.org/2000/svg" width="40" height="20"><s:rect width="40" height="20" fill="#f00"/></s:svg>',
      40,
      20,
    ],
    ["UTF-16", utf16(`<?xml version="1.0" encoding="UTF-16"?>${drawing(red)}`), 40, 20],
    ["a script", drawing(`<script>while (true) {}</script>${red}`), 40, 20],
    [
      "a file of this machine",
      drawing(`${red}<image xlink:href="file://${folder}/blue.png" width="40" height="20"/>`),
      40,
      20,
    ],
  ])("renders %s", async (_what, svg, width, height) => {
    expect(await rendered(svg)).toEqual([width, height, [255, 0, 0, 255]]);
  });

  test.each([
    ["entities", `<!DOCTYPE svg [<!ENTITY a "b">]>${drawing("<text>&a;</text>")}`, "refused"],
    [
      "entities in UTF-7",
      `<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE svg [+ADwAIQ-ENTITY a "b">]>${drawing("<text>&a;</text>")}`,
      "usage",
    ],
    ["11 MB of it", drawing(" ".repeat(11_000_000)), "limit"],
    ["a tag that is not whole", drawing("<rect"), "usage"],
  ])("refuses %s", async (_what, svg, code) => {
    const error = await rendered(svg).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).code).toBe(code as AppError["code"]);
  });
});
