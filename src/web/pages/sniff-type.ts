import { isHeavyJson } from "../../base/weight.ts";
import { markedEncoding } from "./charset.ts";

/** How files of one type begin. */
interface TypeSignature {
  readonly type: string;
  /** From the first byte of the file; `undefined` matches any byte. */
  readonly bytes: readonly (number | undefined)[];
  /** Many types are made of it (a docx is a zip): the server's file name says more. */
  readonly isContainer?: true;
}

const ascii = (text: string): number[] => [...Buffer.from(text, "latin1")];
const any = (count: number): undefined[] => Array.from({ length: count }, () => undefined);

/** Signatures of files that are not text, from the registrations of their formats and the MIME Sniffing standard. */
export const typeSignatures: readonly TypeSignature[] = [
  { type: "image/png", bytes: [0x89, ...ascii("PNG\r\n"), 0x1a, 0x0a] },
  { type: "image/jpeg", bytes: [0xff, 0xd8, 0xff] },
  { type: "image/gif", bytes: ascii("GIF87a") },
  { type: "image/gif", bytes: ascii("GIF89a") },
  { type: "image/webp", bytes: [...ascii("RIFF"), ...any(4), ...ascii("WEBP")] },
  { type: "image/avif", bytes: [...any(4), ...ascii("ftypavif")] },
  { type: "image/heic", bytes: [...any(4), ...ascii("ftyphei")] },
  { type: "image/heic", bytes: [...any(4), ...ascii("ftypmif1")] },
  { type: "image/bmp", bytes: ascii("BM") },
  { type: "image/x-icon", bytes: [0, 0, 1, 0] },
  { type: "image/tiff", bytes: [...ascii("II*"), 0] },
  { type: "image/tiff", bytes: [...ascii("MM"), 0, 0x2a] },
  { type: "image/jxl", bytes: [0xff, 0x0a] },
  { type: "video/mp4", bytes: [...any(4), ...ascii("ftyp")] },
  { type: "video/webm", bytes: [0x1a, 0x45, 0xdf, 0xa3], isContainer: true },
  { type: "video/x-msvideo", bytes: [...ascii("RIFF"), ...any(4), ...ascii("AVI ")] },
  { type: "audio/wav", bytes: [...ascii("RIFF"), ...any(4), ...ascii("WAVE")] },
  { type: "audio/mpeg", bytes: ascii("ID3") },
  { type: "audio/mpeg", bytes: [0xff, 0xfb] },
  { type: "audio/flac", bytes: ascii("fLaC") },
  { type: "application/ogg", bytes: ascii("OggS"), isContainer: true },
  { type: "font/woff", bytes: ascii("wOFF") },
  { type: "font/woff2", bytes: ascii("wOF2") },
  { type: "font/otf", bytes: ascii("OTTO") },
  { type: "font/ttf", bytes: [0, 1, 0, 0] },
  { type: "application/zip", bytes: [...ascii("PK"), 3, 4], isContainer: true },
  { type: "application/zip", bytes: [...ascii("PK"), 5, 6], isContainer: true },
  { type: "application/gzip", bytes: [0x1f, 0x8b], isContainer: true },
  { type: "application/x-bzip2", bytes: ascii("BZh"), isContainer: true },
  { type: "application/x-xz", bytes: [0xfd, ...ascii("7zXZ"), 0], isContainer: true },
  { type: "application/zstd", bytes: [0x28, 0xb5, 0x2f, 0xfd], isContainer: true },
  { type: "application/x-7z-compressed", bytes: [...ascii("7z"), 0xbc, 0xaf, 0x27, 0x1c] },
  { type: "application/vnd.rar", bytes: [...ascii("Rar!"), 0x1a, 0x07] },
  {
    type: "application/x-ole-storage",
    bytes: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1],
    isContainer: true,
  },
  { type: "application/vnd.sqlite3", bytes: [...ascii("SQLite format 3"), 0] },
  { type: "application/wasm", bytes: [0, ...ascii("asm")] },
  { type: "application/x-elf", bytes: [0x7f, ...ascii("ELF")] },
  { type: "application/vnd.microsoft.portable-executable", bytes: ascii("MZ") },
  { type: "application/x-mach-binary", bytes: [0xcf, 0xfa, 0xed, 0xfe] },
];

/** The first that fits. */
export function signatureOf(bytes: Uint8Array): TypeSignature | undefined {
  return typeSignatures.find((signature) =>
    signature.bytes.every((byte, at) => byte === undefined || byte === bytes[at]),
  );
}

/** The type of a body. */
export interface SniffedType {
  /** Type and subtype in lower case. */
  readonly contentType: string;
  /** `bytes` = a document that is read as bytes (PDF), `none` = of no use as text. */
  readonly kind: "text" | "bytes" | "none";
}

export interface TypeFacts {
  /** Type and subtype as the server says, in lower case; empty when it says none. */
  readonly declared: string;
  /** The `charset` that it says. */
  readonly charset: string | undefined;
  /** The first bytes of the body, `sniffedBytes` of them unless there are fewer. */
  readonly start: Uint8Array;
}

/** Enough for every signature, and for the first tag after a long comment. */
export const sniffedBytes = 2048;

/** Said by servers that do not know. */
const vagueTypes: ReadonlySet<string> = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
  "application/unknown",
  "application/binary",
  "application/force-download",
  "application/x-download",
  "unknown/unknown",
  "*/*",
]);

const pdf = "application/pdf";

/** The type of a body by its first bytes and by its server's declaration; where the two differ, the bytes decide. */
export function sniffType(facts: TypeFacts): SniffedType {
  const { declared, start } = facts;
  if (isPdf(start, declared)) return { contentType: pdf, kind: "bytes" };
  if (start.length === 0) return { contentType: declared || "text/plain", kind: "text" };
  if (isBinary(facts)) return { contentType: binaryType(declared, start), kind: "none" };
  return { contentType: textType(declared, Buffer.from(start).toString("latin1")), kind: "text" };
}

/** Readers take a PDF that begins within the first kilobyte; so much trust needs the server's word. */
function isPdf(start: Uint8Array, declared: string): boolean {
  const head = Buffer.from(start.subarray(0, 1024)).toString("latin1");
  return declared === pdf || vagueTypes.has(declared)
    ? head.includes("%PDF-")
    : head.startsWith("%PDF-");
}

/** Share of such bytes in a declared text: some slip in when somebody pastes from a terminal. */
const strayBytesPart = 0.01;

/**
 * True when it has bytes that no text has (MIME Sniffing standard, "binary data byte"). A few of them do not turn
 * a declared text into anything else.
 */
function isBinary({ declared, start, charset }: TypeFacts): boolean {
  if (markedEncoding(start) !== undefined || /^(?:utf-?16|ucs-2)/i.test(charset ?? ""))
    return false;
  const strayMax =
    isTextual(declared) && signatureOf(start) === undefined ? start.length * strayBytesPart : 0;
  return start.filter(isBinaryByte).length > strayMax;
}

function isBinaryByte(byte: number): boolean {
  return (
    byte <= 0x08 ||
    byte === 0x0b ||
    (byte >= 0x0e && byte <= 0x1a) ||
    (byte >= 0x1c && byte <= 0x1f)
  );
}

function binaryType(declared: string, start: Uint8Array): string {
  const signature = signatureOf(start);
  const isPlausible = !vagueTypes.has(declared) && !isTextual(declared) && declared !== pdf;
  if (signature === undefined) return isPlausible ? declared : "application/octet-stream";
  return isPlausible && signature.isContainer === true ? declared : signature.type;
}

function textType(declared: string, start: string): string {
  const found = markupType(start);
  // A page that a server sends as plain text is shown as it is, markup included.
  if (declared === "text/plain") return declared;
  if (found === "text/html" && !isMarkup(declared) && !isProgram(declared)) return found;
  if (isMarkup(declared)) return contradictedMarkup(declared, found);
  if (vagueTypes.has(declared) || isMedia(declared) || declared === pdf)
    return found ?? "text/plain";
  return declared;
}

/** A feed that is called a page, a page that is called XML. */
function contradictedMarkup(declared: string, found: string | undefined): string {
  if (found === undefined) return declared;
  const isPage = declared === "text/html" || declared === "application/xhtml+xml";
  if (found === "text/html") return isPage ? declared : found;
  return isPage ? found : declared;
}

/** The type of a text that begins with a tag; undefined when it does not. */
function markupType(start: string): string | undefined {
  const text = start.replace(/^(?:\xef\xbb\xbf)?\s*(?:<!--[\s\S]*?-->\s*)*/, "");
  if (
    /^<(?:!doctype\s+html|(?:html|head|body|title|meta|script|style|iframe|h1|div|table|p|a|br)\b)/i.test(
      text,
    )
  ) {
    return "text/html";
  }
  if (!/^<(?:\?xml|rss|feed|rdf:RDF|svg|!doctype\s)/i.test(text)) return undefined;
  const root = /<(?![!?])([\w:.-]+)/.exec(text.replaceAll(/<!--[\s\S]*?-->/g, ""))?.[1];
  return rootTypes.get(root?.toLowerCase() ?? "") ?? "application/xml";
}

const rootTypes: ReadonlyMap<string, string> = new Map([
  ["html", "text/html"],
  ["rss", "application/rss+xml"],
  ["feed", "application/atom+xml"],
  ["rdf:rdf", "application/rdf+xml"],
  ["svg", "image/svg+xml"],
]);

function isMarkup(type: string): boolean {
  return (
    type === "text/html" ||
    type === "application/xml" ||
    type === "text/xml" ||
    type.endsWith("+xml")
  );
}

/** Programs and templates may begin with a tag. */
function isProgram(type: string): boolean {
  return /\b(?:markdown|javascript|ecmascript|typescript|php|python|x-\w+)$/.test(type);
}

/** Types that cannot be text. */
function isMedia(type: string): boolean {
  return (
    /^(?:image|audio|video|font)\//.test(type) ||
    /^application\/(?:zip|gzip|x-gzip|ogg|wasm)$/.test(type)
  );
}

function isTextual(type: string): boolean {
  return (
    type.startsWith("text/") ||
    isMarkup(type) ||
    /\b(?:json|javascript|ecmascript|yaml)$/.test(type)
  );
}

/** Parsing 10 MB of brackets takes two seconds, in which no other page gets on. */
const uncalledJsonCharsMax = 1024 * 1024;

/** Whether a text that was not called JSON, or by no name that fits, is JSON all the same. */
export function isUncalledJson(declared: string, text: string): boolean {
  if (declared !== "text/html" && !vagueTypes.has(declared)) return false;
  if (text.length > uncalledJsonCharsMax || !/^\s*[[{]/.test(text)) return false;
  if (isHeavyJson(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
