/** How far into a document its declaration of an encoding is looked for. */
const declarationChars = 200;

/**
 * The text of an SVG: by its byte order mark, else by the encoding that it declares, else as UTF-8. Undefined for an
 * encoding that browsers do not read either, such as UTF-7, in which markup can be written that looks like text.
 */
export function decodeSvgText(bytes: Uint8Array): string | undefined {
  const decoder = markedDecoder(bytes) ?? declaredDecoder(bytes);
  return decoder?.decode(bytes);
}

function markedDecoder(bytes: Uint8Array): TextDecoder | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  return first === 0xef && second === 0xbb ? new TextDecoder() : undefined;
}

function declaredDecoder(bytes: Uint8Array): TextDecoder | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, declarationChars));
  const declared = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)["']/.exec(start)?.[1];
  // Text that was read as ASCII so far is not UTF-16, whatever its declaration says.
  const label = declared?.replace(/^utf-16.*/i, "utf-8");
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the constructor itself checks the label
    return new TextDecoder((label ?? "utf-8") as Bun.Encoding);
  } catch {
    return undefined;
  }
}

/** Formats that are known by their first bytes. */
export type ImageFormat =
  "png" | "jpeg" | "gif" | "webp" | "bmp" | "ico" | "tiff" | "avif" | "heic" | "svg";

/** As people write them. */
export const formatNames: Readonly<Record<ImageFormat, string>> = {
  png: "PNG",
  jpeg: "JPEG",
  gif: "GIF",
  webp: "WebP",
  bmp: "BMP",
  ico: "ICO",
  tiff: "TIFF",
  avif: "AVIF",
  heic: "HEIC",
  svg: "SVG",
};

/** A format's name with its article: "an AVIF", "a PNG". */
export function withArticle(name: string): string {
  // Letters that are spoken with a vowel first, of those that names here begin with.
  return /^[AIS]/.test(name) ? `an ${name}` : `a ${name}`;
}

/** Types that a client is sent unchanged when the image is small enough. */
export const passedOnTypes = {
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
} as const satisfies Partial<Record<ImageFormat, string>>;

export type PassedOnFormat = keyof typeof passedOnTypes;

export function isPassedOn(format: ImageFormat): format is PassedOnFormat {
  return format in passedOnTypes;
}

/** The format of a file by its first bytes; its name is never looked at. */
export function detectImageFormat(bytes: Uint8Array): ImageFormat | undefined {
  for (const [format, starts] of signatures) {
    if (starts.some((start) => matches(bytes, start))) return format;
  }
  return isoBrandFormat(bytes) ?? (isSvg(bytes) ? "svg" : undefined);
}

type Signature = readonly [offset: number, text: string][];

/** In Latin-1. A BMP says `BM` and then four reserved bytes of zero at offset 6. */
const signatures: readonly (readonly [ImageFormat, readonly Signature[]])[] = [
  ["png", [[[0, "\x89PNG\r\n\x1a\n"]]]],
  ["jpeg", [[[0, "\xff\xd8\xff"]]]],
  ["gif", [[[0, "GIF87a"]], [[0, "GIF89a"]]]],
  [
    "webp",
    [
      [
        [0, "RIFF"],
        [8, "WEBP"],
      ],
    ],
  ],
  [
    "bmp",
    [
      [
        [0, "BM"],
        [6, "\0\0\0\0"],
      ],
    ],
  ],
  [
    "ico",
    [
      [
        [0, "\0\0\x01\0"],
        [9, "\0"],
      ],
    ],
  ],
  ["tiff", [[[0, "II*\0"]], [[0, "MM\0*"]]]],
];

function matches(bytes: Uint8Array, signature: Signature): boolean {
  return signature.every(([offset, text]) => latin1(bytes, offset, text.length) === text);
}

const avifBrands: ReadonlySet<string> = new Set(["avif", "avis"]);
const heicBrands: ReadonlySet<string> = new Set([
  "heic",
  "heix",
  "hevc",
  "hevx",
  "heim",
  "heis",
  "mif1",
  "msf1",
]);

/** ISO base media files are recognised by their major brand, then by the compatible ones (`mif1` says little). */
function isoBrandFormat(bytes: Uint8Array): "avif" | "heic" | undefined {
  if (latin1(bytes, 4, 4) !== "ftyp") return undefined;
  const end = Math.min(bytes.length, new DataView(bytes.buffer, bytes.byteOffset).getUint32(0));
  const brands = [latin1(bytes, 8, 4)];
  for (let at = 16; at + 4 <= Math.min(end, 256); at += 4) brands.push(latin1(bytes, at, 4));
  if (brands.some((brand) => avifBrands.has(brand))) return "avif";
  return brands.some((brand) => heicBrands.has(brand)) ? "heic" : undefined;
}

/** How many bytes into a text its root element is looked for: comments and a doctype may precede it. */
const svgProlog = 4_096;

function isSvg(bytes: Uint8Array): boolean {
  const start = decodeSvgText(bytes.subarray(0, svgProlog))?.trimStart() ?? "";
  if (!start.startsWith("<")) return false;
  const root = /<([a-z_][\w:.-]*)/i.exec(start.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, ""));
  return root?.[1]?.replace(/^[^:]*:/, "") === "svg";
}

/** Bytes as text, one character each; fewer when the file ends before. */
export function latin1(bytes: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + length));
}

/** A larger file is refused before it is read. */
export const imageFileBytesMax = 100_000_000;
/** A larger picture is refused by its header: 100 megapixels are 400 MB when decoded. */
export const imagePixelsMax = 100_000_000;
/** Clients and models scale anything larger down themselves, and charge for it (docs/images.md#which-files). */
export const imageLongEdgeMax = 1_568;
/** As base64 it stays below the 1 MB that a result may have in images. */
export const imageResultBytesMax = 700_000;
/** A path of this length is a mistake; the systems' own limits are lower. */
export const imagePathCharsMax = 4_096;
