import { isHeavyJson } from "../../base/json-weight.ts";
import { markedEncoding } from "./charset.ts";
import { signatureOf } from "./type-signatures.ts";

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

/** The type of a body by its first bytes and by what its server says, which loses where it contradicts them. */
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

/** Of the bytes of a text that is called one: what slips in when somebody pastes from a terminal. */
const strayBytesPart = 0.01;

/**
 * True when it has bytes that no text has (MIME Sniffing standard, "binary data byte"). A few of them do not make
 * anything else of what its server calls text.
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
