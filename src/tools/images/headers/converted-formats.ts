import { decodeSvgText } from "../image-format.ts";
import { fourCharacters, type ImageHeader, stillHeader } from "./image-header.ts";

/** Boxes that hold boxes, and the bytes between their own header and the first of those. */
const containers: ReadonlyMap<string, number> = new Map([
  ["meta", 4],
  ["iprp", 0],
  ["ipco", 0],
]);

/** As many boxes as are looked at: a hostile file may have millions. */
const boxesMax = 2_000;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** AVIF and HEIC (ISO/IEC 23008-12): the largest `ispe` property is the size of the picture, the rest are thumbnails. */
export function readIsoHeader(bytes: DataView): ImageHeader {
  const sizes: Size[] = [];
  const isComplete = walkBoxes(bytes, sizes);
  const largest = sizes.reduce(
    (best, size) => (size.width * size.height > best.width * best.height ? size : best),
    { width: 0, height: 0 },
  );
  return stillHeader(largest.width, largest.height, { isComplete });
}

/** Collects the sizes; false when a box reaches past the end. */
function walkBoxes(bytes: DataView, sizes: Size[]): boolean {
  let at = 0;
  for (let seen = 0; seen < boxesMax && at + 8 <= bytes.byteLength; seen++) {
    const length = bytes.getUint32(at);
    const name = fourCharacters(bytes, at + 4);
    if (name === "ispe") {
      sizes.push({ width: bytes.getUint32(at + 12), height: bytes.getUint32(at + 16) });
    }
    const inside = containers.get(name);
    if (inside !== undefined) at += 8 + inside;
    // Zero: to the end of the file. One: a length of 64 bits follows.
    else if (length === 0) return true;
    else if (length === 1) at += Number(bytes.getBigUint64(at + 8)) || 16;
    else at += Math.max(8, length);
  }
  return at <= bytes.byteLength;
}

const widthTag = 256;
const heightTag = 257;
const orientationTag = 274;
const shortType = 3;
const entriesMax = 4_096;

/** TIFF 6.0: the first directory. */
export function readTiffHeader(bytes: DataView): ImageHeader {
  const isLittle = bytes.getUint16(0) === 0x4949;
  const directory = bytes.getUint32(4, isLittle);
  const count = Math.min(bytes.getUint16(directory, isLittle), entriesMax);
  const values = new Map<number, number>();
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12;
    const isShort = bytes.getUint16(entry + 2, isLittle) === shortType;
    const value = isShort
      ? bytes.getUint16(entry + 8, isLittle)
      : bytes.getUint32(entry + 8, isLittle);
    values.set(bytes.getUint16(entry, isLittle), value);
  }
  const orientation = values.get(orientationTag) ?? 1;
  return stillHeader(values.get(widthTag) ?? 0, values.get(heightTag) ?? 0, {
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
  });
}

/** How far the root element's attributes are looked for, in characters. */
const rootCharsMax = 64 * 1024;
/** The size that CSS gives a replaced element without one, in pixels. */
const defaultSize = { width: 300, height: 150 };

/** CSS: 96 pixels are an inch. */
const pixelsOf: Readonly<Record<string, number>> = {
  "": 1,
  px: 1,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  pt: 96 / 72,
  pc: 16,
};

/** SVG: `width` and `height`, else the view box, else the size that browsers take. */
export function readSvgHeader(bytes: DataView): ImageHeader {
  const text = decodeSvgText(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (text === undefined) return stillHeader(defaultSize.width, defaultSize.height);
  const start = text.slice(0, rootCharsMax);
  const root = /<(?:[\w.-]+:)?svg\b([^<>]*)>/.exec(start)?.[1] ?? "";
  const [, , boxWidth, boxHeight] = (attribute(root, "viewBox") ?? "").trim().split(/[\s,]+/);
  const width = pixels(attribute(root, "width")) ?? pixels(boxWidth) ?? defaultSize.width;
  const height = pixels(attribute(root, "height")) ?? pixels(boxHeight) ?? defaultSize.height;
  const end = withoutComments(text.slice(-rootCharsMax));
  return stillHeader(width, height, {
    isComplete: /<\/(?:[\w.-]+:)?svg\s*>$/.test(end.slice(-200)) || end.endsWith("/>"),
  });
}

/** Without the comments and blanks at the end of a document. */
function withoutComments(text: string): string {
  let end = text.trimEnd();
  while (end.endsWith("-->") && end.includes("<!--")) {
    end = end.slice(0, end.lastIndexOf("<!--")).trimEnd();
  }
  return end;
}

function attribute(element: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\s)${name}\\s*=\\s*["']([^"']*)["']`).exec(element)?.[1];
}

/** A length; one in percent or relative to a font says nothing about pixels. */
function pixels(length: string | undefined): number | undefined {
  const [, number, unit = ""] =
    /^\s*([\d.]+(?:e[+-]?\d+)?)(px|in|cm|mm|pt|pc|)\s*$/i.exec(length ?? "") ?? [];
  // 25.4 mm are 96 pixels, whatever the last bit of the product says.
  const value = Math.ceil(Number(number) * (pixelsOf[unit.toLowerCase()] ?? 1) - 1e-6);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}
