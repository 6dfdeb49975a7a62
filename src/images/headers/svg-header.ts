import type { ImageHeader } from "../image-header.ts";
import { stillHeader } from "./still.ts";

/** How far the root element's attributes are looked for, in bytes. */
const rootBytesMax = 64 * 1024;
/** What CSS gives a replaced element without a size, in pixels. */
const defaultSize = { width: 300, height: 150 };

/** SVG: `width` and `height` in pixels, else the view box, else the size that browsers take. */
export function readSvgHeader(bytes: DataView): ImageHeader {
  const start = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = new TextDecoder().decode(start.subarray(0, rootBytesMax));
  const root = /<(?:svg:)?svg\b([^>]*)>/.exec(text)?.[1] ?? "";
  const [, , boxWidth, boxHeight] = (attribute(root, "viewBox") ?? "").trim().split(/[\s,]+/);
  const width = pixels(attribute(root, "width")) ?? pixels(boxWidth) ?? defaultSize.width;
  const height = pixels(attribute(root, "height")) ?? pixels(boxHeight) ?? defaultSize.height;
  return stillHeader(width, height, {
    isComplete: /<\/(?:svg:)?svg\s*>\s*$/.test(tail(start)) || /\/>\s*$/.test(tail(start)),
  });
}

function tail(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(Math.max(0, bytes.length - 1_024)));
}

function attribute(element: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\s)${name}\\s*=\\s*["']([^"']*)["']`).exec(element)?.[1];
}

/** A length without unit or in px; other units and percentages say nothing about pixels. */
function pixels(length: string | undefined): number | undefined {
  const match = /^\s*([\d.]+)(?:px)?\s*$/.exec(length ?? "");
  const value = Math.ceil(Number(match?.[1]));
  return Number.isFinite(value) && value > 0 ? value : undefined;
}
