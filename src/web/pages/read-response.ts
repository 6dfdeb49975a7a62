import { formatCount } from "../../base/cut-text.ts";
import { AppError } from "../../base/errors.ts";
import { pageBytesMax } from "../../base/limits.ts";
import { charsetOf, decodeText } from "./charset.ts";
import { type PageBody, quoted } from "./page-url.ts";
import { CappedReader, type ReadBytes } from "./read-capped.ts";
import { isUncalledJson, sniffedBytes, sniffType, type SniffedType } from "./sniff-type.ts";

/** Notes for the reader about a response, besides its body. */
function headerNotes(response: Response): string[] {
  return [
    statusNote(response),
    retryNote(response),
    downloadNote(response),
    robotsNote(response),
  ].filter((note) => note !== undefined);
}

/** Statuses that imply that the response has no body. */
function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

function statusNote({ status }: Response): string | undefined {
  return isBodiless(status) ? `The server answered ${status}, which has no content.` : undefined;
}

/** Given in seconds or as a date (RFC 9110, section 10.2.3). */
function retryNote(response: Response): string | undefined {
  const value = response.headers.get("retry-after")?.trim();
  if (value === undefined || value === "" || response.status < 400) return undefined;
  if (/^\d{1,9}$/.test(value)) return `The server asks clients to try again after ${value} s.`;
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return undefined;
  return `The server asks clients to try again after ${date.toISOString()}.`;
}

function downloadNote(response: Response): string | undefined {
  const disposition = response.headers.get("content-disposition");
  if (disposition === null || !/^\s*attachment\b/i.test(disposition)) return undefined;
  const name = fileNameOf(disposition);
  const called = name === undefined ? "" : ` called ${quoted(name)}`;
  return `The server offers this as a file to save${called}.`;
}

const robotsRules = /\b(?:noindex|nofollow|none|noarchive|nosnippet|noai|noimageai)\b/gi;

/** The note for a page that was read although its site asks crawlers not to: the user has named it. */
function robotsNote(response: Response): string | undefined {
  const found = response.headers.get("x-robots-tag")?.toLowerCase().match(robotsRules) ?? [];
  if (found.length === 0) return undefined;
  const rules = [...new Set(found)].join(", ");
  return `The server asks robots: ${rules}. The page was read because its URL was requested directly.`;
}

/** `filename*` before `filename` (RFC 6266); only the last part of a path. */
function fileNameOf(disposition: string): string | undefined {
  const encoded = /;\s*filename\*\s*=\s*([\w-]+)'[^']*'([^\s;]+)/i.exec(disposition);
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i.exec(disposition);
  const name =
    decoded(encoded?.[1], encoded?.[2]) ?? plain?.[1]?.replaceAll(/\\(.)/g, "$1") ?? plain?.[2];
  return name?.split(/[/\\]/).at(-1) || undefined;
}

function decoded(charset: string | undefined, text: string | undefined): string | undefined {
  if (charset?.toLowerCase() !== "utf-8" || text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The body of a response, with notes about it. */
export interface ReadPage {
  /** After sniffing. */
  readonly contentType: string;
  readonly body: PageBody;
  readonly notes: readonly string[];
  /** False when some of it is missing that another request might bring. */
  readonly isComplete: boolean;
}

const sizeMaxText = `${pageBytesMax / (1024 * 1024)} MiB`;

const bytesText = (count: number): string => `${formatCount(count)} bytes`;

/**
 * Reads a response as far as it is of use.
 * @param signal ends the reading; the bytes read until then are used
 * @throws AppError `limit` for a document that is too large to be read in part, `system` for one that broke off, or a
 * body without a single byte
 */
export async function readResponse(response: Response, signal: AbortSignal): Promise<ReadPage> {
  const header = response.headers.get("content-type") ?? "";
  const notes = headerNotes(response);
  const declared = typeOf(header);
  if (isBodiless(response.status)) {
    void response.body?.cancel().catch(() => {});
    return emptyPage(declared, notes);
  }
  const charset = charsetOf(header);
  const reader = new CappedReader(response, signal);
  const sniffed = sniffType({ declared, charset, start: await reader.peek(sniffedBytes) });
  const { kind, contentType } = sniffed;
  switch (kind) {
    case "none":
      reader.cancel();
      return { contentType, body: { kind, bytes: sizeOf(response) }, notes, isComplete: true };
    case "bytes":
      return { ...(await readDocument(response, reader, sniffed)), notes };
    case "text": {
      const page = await readText(reader, sniffed, declared, charset);
      return { ...page, notes: [...notes, ...page.notes] };
    }
  }
}

/** Names of registered types have at most 127 characters in each half (RFC 6838, section 4.2). */
function typeOf(header: string): string {
  return (
    /^\s*([\w!#$&^.+*-]{1,127}\/[\w!#$&^.+*-]{1,127})(?![\w!#$&^.+*-])/
      .exec(header)?.[1]
      ?.toLowerCase() ?? ""
  );
}

function emptyPage(declared: string, notes: readonly string[]): ReadPage {
  const body = { kind: "text", text: "" } as const;
  return { contentType: declared || "text/plain", body, notes, isComplete: true };
}

/** As the server says; null when it does not, or gives the compressed size. */
function sizeOf(response: Response): number | null {
  const text = response.headers.get("content-length") ?? "";
  const isPlain = (response.headers.get("content-encoding") ?? "identity") === "identity";
  return isPlain && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** All of it or nothing: half a document cannot be opened. */
async function readDocument(
  response: Response,
  reader: CappedReader,
  { contentType }: SniffedType,
): Promise<Omit<ReadPage, "notes">> {
  const size = sizeOf(response);
  const { bytes, cut } =
    size !== null && size > pageBytesMax ? tooLarge(reader) : await reader.rest();
  if (cut === "size") {
    const amount = size === null ? "" : ` It has ${bytesText(size)}.`;
    throw new AppError(
      "limit",
      `The document is larger than the limit of ${sizeMaxText}.${amount} ` +
        `Download it with Bash.`,
    );
  }
  if (cut !== null) throw incomplete(cut, bytes.length);
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { contentType, body: { kind: "bytes", base64 }, isComplete: true };
}

function tooLarge(reader: CappedReader): ReadBytes {
  reader.cancel();
  return { bytes: new Uint8Array(), cut: "size" };
}

async function readText(
  reader: CappedReader,
  { contentType }: SniffedType,
  declared: string,
  charset: string | undefined,
): Promise<ReadPage> {
  const { bytes, cut } = await reader.rest();
  if (cut !== null && bytes.length === 0) throw incomplete(cut, 0);
  const text = decodeText(bytes, charset, cut !== null);
  return {
    contentType: isUncalledJson(declared, text) ? "application/json" : contentType,
    body: { kind: "text", text },
    notes: cut === null ? [] : [cutNote(cut, bytes.length)],
    isComplete: cut === null || cut === "size",
  };
}

type Cut = NonNullable<ReadBytes["cut"]>;

function cutNote(cut: Cut, length: number): string {
  switch (cut) {
    case "size":
      return `The page is larger than ${sizeMaxText}: only its beginning was read.`;
    case "time":
      return `The server did not send the whole page in time: only the first ${bytesText(length)} arrived.`;
    case "broken":
      return `The connection broke off after ${bytesText(length)}: the rest is missing.`;
  }
}

function incomplete(cut: Cut, length: number): AppError {
  if (cut === "time") {
    return new AppError(
      "limit",
      `The server did not send its response in time: ${bytesText(length)} arrived.`,
    );
  }
  const when = length === 0 ? "before any content arrived" : `after ${bytesText(length)}`;
  return new AppError("system", `The connection broke off ${when}. Try again.`);
}
