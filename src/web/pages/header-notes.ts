import { quoted } from "./page-url.ts";

/** Notes for the reader about a response, besides its body. */
export function headerNotes(response: Response): string[] {
  return [
    statusNote(response),
    retryNote(response),
    downloadNote(response),
    robotsNote(response),
  ].filter((note) => note !== undefined);
}

/** Statuses that imply that the response has no body. */
export function isBodiless(status: number): boolean {
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

/** A page that a user names is read whatever its site asks of crawlers; the reader is told. */
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
