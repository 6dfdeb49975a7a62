import { decodeSvgText } from "../svg-text.ts";
import { type ImageHeader, stillHeader } from "./still.ts";

/** How far the root element's attributes are looked for, in characters. */
const rootCharsMax = 64 * 1024;
/** What CSS gives a replaced element without a size, in pixels. */
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
