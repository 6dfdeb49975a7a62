/**
 * For each format of ReadImage: what decodes it here, our lines of code, the bytes of packages in the executable, and what
 * `Bun.Image` does with it alone.
 *
 *   bun scripts/decisions/images.ts            prints the table
 *   bun scripts/decisions/images.ts --write    writes it into docs/internals/decisions/images.md
 */
import { statSync } from "node:fs";
import { join } from "node:path";

import { decodeImage } from "../../src/tools/images/decode/run-decoder.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { bmpKinds, bmpOf, bmpPicture } from "../../test/tools/images/bmp-kinds.ts";
import { readPng } from "../../test/tools/images/read-png.ts";
import {
  fields,
  iconBitmap,
  sampleAvif,
  sampleBmp,
  sampleGif,
  sampleIcon,
  samplePng,
  sampleSvg,
  sampleTiff,
} from "../../test/tools/images/sample-images.ts";
import { animatedWebp } from "../../test/tools/images/unusual-images.ts";
import { pageTable } from "../docs/markdown.ts";
import { replaceBlock } from "../docs/marked-block.ts";
import { codeLinesOf } from "../structure/declaration-lines.ts";

const root = join(import.meta.dir, "../..");
const page = join(root, "docs/internals/decisions/images.md");
const folder = join(root, "src/tools/images");

interface Row {
  readonly format: string;
  readonly by: string;
  /** Files below `src/tools/images/`, or declarations in them, that no other format needs. */
  readonly code: readonly string[];
  /** Files below `node_modules/`. */
  readonly packages?: readonly string[];
  readonly samples: readonly Uint8Array[];
}

const edge = 48;
const picture = fields(edge, edge);
const png = samplePng(edge, edge);
const webp = await new Bun.Image(png).webp({ lossless: true }).bytes();
const common = "headers/common-formats.ts";
const converted = "headers/converted-formats.ts";
const dib = "decode/dib-pixels.ts";
const dibHeader = "headers/dib-header.ts";
const source = "decode/readable-source.ts";

const rows: readonly Row[] = [
  {
    format: "PNG",
    by: "Bun",
    code: [
      `${common}#readPngHeader`,
      "inspect-image.ts#pngDamage",
      "inspect-image.ts#pixelDamage",
      "inspect-image.ts#unfoldedBytes",
      "inspect-image.ts#passes",
    ],
    samples: [png],
  },
  {
    format: "JPEG",
    by: "Bun",
    code: ["readJpegHeader", "nextMarker", "hasEnd", "isFrame", "isStandalone"].map(
      (name) => `${common}#${name}`,
    ),
    samples: [await new Bun.Image(png).jpeg().bytes()],
  },
  {
    format: "GIF",
    by: "Bun",
    code: [`${common}#readGifHeader`, `${common}#afterBlocks`],
    samples: [sampleGif(edge, edge, 2)],
  },
  {
    format: "WebP",
    by: "Bun; of an animation, a file of its first frame",
    code: [
      ...["readWebpHeader", "hasPicture", "orientationOf", "webpChunks"].map(
        (name) => `${common}#${name}`,
      ),
      ...["firstWebpFrame", "chunkOf", "framed"].map((name) => `${source}#${name}`),
    ],
    samples: [webp, animatedWebp(webp, edge, edge)],
  },
  {
    format: "BMP, 24 and 32 bits",
    by: "our code",
    code: [`${dib}#readBmp`, `${dibHeader}#readBmpHeader`],
    samples: [sampleBmp(picture)],
  },
  {
    format: "BMP, palette, 16 bits, masks, runs, OS/2",
    by: "our code",
    code: [`${dib}#readRuns`, `${dib}#unfoldRuns`, `${dibHeader}#readCoreHeader`],
    samples: bmpKinds.map(([, parts]) => bytesOf(bmpOf(parts))),
  },
  {
    format: "ICO",
    by: "our code; Bun for a PNG in it",
    code: [
      ...["readIconBitmap", "applyMask"].map((name) => `${dib}#${name}`),
      ...["readIconEntries", "readEntry", "readIcoHeader", "IconEntry"].map(
        (name) => `${dibHeader}#${name}`,
      ),
      ...["readIcon", "readIconPicture"].map((name) => `${source}#${name}`),
    ],
    samples: [
      sampleIcon([{ edge, bytes: png }]),
      sampleIcon([{ edge, bytes: iconBitmap(picture) }]),
    ],
  },
  {
    format: "– BMP and ICO together",
    by: "",
    code: [dib, dibHeader, `${source}#readIcon`, `${source}#readIconPicture`],
    samples: [],
  },
  {
    format: "TIFF",
    by: "utif2, behind our bounds",
    code: [
      "decode/unfold-lzw.ts",
      "decode/sound-tiff.ts",
      `${source}#readTiff`,
      `${converted}#readTiffHeader`,
    ],
    packages: ["utif2/UTIF.js"],
    samples: [await sampleTiff()],
  },
  {
    format: "AVIF",
    by: "@jsquash/avif (libavif)",
    code: [`${source}#readAvif`],
    packages: ["@jsquash/avif/codec/dec/avif_dec.wasm", "@jsquash/avif/codec/dec/avif_dec.js"],
    samples: [await sampleAvif()],
  },
  {
    format: "HEIC",
    by: "the system, by way of Bun",
    code: [`${source}#readBySystem`],
    samples: [],
  },
  {
    format: "– size of AVIF and HEIC",
    by: "",
    code: [`${converted}#readIsoHeader`, `${converted}#walkBoxes`],
    samples: [],
  },
  {
    format: "SVG",
    by: "a program of the system, behind our bounds",
    code: [
      "decode/render-svg.ts",
      "decode/safe-svg.ts",
      `${converted}#readSvgHeader`,
      `${converted}#withoutComments`,
      `${converted}#pixels`,
      "image-format.ts#decodeSvgText",
      "image-format.ts#markedDecoder",
      "image-format.ts#declaredDecoder",
      "image-format.ts#isSvg",
    ],
    samples: [Buffer.from(sampleSvg)],
  },
];

const head = [
  "format",
  "decoded by",
  "lines of code",
  "kB in the executable",
  "ReadImage",
  "Bun alone",
];
const table = pageTable(head, await Promise.all(rows.map(cellsOf)));
if (process.argv.includes("--write")) {
  await Bun.write(page, replaceBlock(await Bun.file(page).text(), "formats", table, page));
} else console.log(table);

async function cellsOf({ format, by, code, packages = [], samples }: Row): Promise<string[]> {
  const bytes = packages.reduce(
    (sum, file) => sum + statSync(join(root, "node_modules", file)).size,
    0,
  );
  return [
    format,
    by,
    String(codeLinesOf(folder, code)),
    bytes === 0 ? "–" : (bytes / 1000).toFixed(0),
    await shareOf(samples, readByUs),
    await shareOf(samples, readByBun),
  ];
}

/** How many of the samples `read` reads. */
async function shareOf(
  samples: readonly Uint8Array[],
  read: (sample: Uint8Array) => Promise<unknown>,
): Promise<string> {
  if (samples.length === 0) return "–";
  const outcomes = await Promise.allSettled(samples.map(read));
  const good = outcomes.filter(({ status }) => status === "fulfilled").length;
  return `${good} of ${samples.length}`;
}

async function readByUs(sample: Uint8Array): Promise<void> {
  using temporary = new TempFolder();
  const file = join(temporary.path, "picture");
  await Bun.write(file, sample);
  const { bytes, mimeType } = await decodeImage(file, process.env["PATH"] ?? "");
  if (mimeType === "image/png") assertColours(bytes);
}

async function readByBun(sample: Uint8Array): Promise<void> {
  assertColours(await new Bun.Image(sample).png().bytes());
}

/** The pixels of the small BMPs are known; of the other samples it is enough that they are read. */
function assertColours(bytes: Uint8Array): void {
  const { width, pixels } = readPng(bytes);
  if (width !== bmpPicture.width) return;
  if (!Bun.deepEquals(pixels, bmpPicture.pixels)) throw new Error("other colours");
}

function bytesOf({ buffer, byteOffset, byteLength }: DataView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
