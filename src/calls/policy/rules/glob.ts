import { domainToUnicode } from "node:url";
import { globWorkMax } from "../../../base/limits.ts";
import type { Word } from "../shell/shell-text.ts";

/** A pattern of the rules: `*` stands for any characters, `/` included, `?` for one; all else for itself. */
export interface Glob {
  readonly pattern: string;
  /** The texts between the stars. */
  readonly parts: readonly string[];
}

export function createGlob(pattern: string): Glob {
  return { pattern, parts: pattern.split(/\*+/) };
}

/** Whether the pattern is about paths, wherever links lead, and not only about the text. */
export function isPathGlob({ pattern }: Glob): boolean {
  return pattern.includes("/") || pattern.startsWith("~");
}

/** Whether the pattern matches the whole of `text`. */
export function globMatches({ parts }: Glob, text: string): boolean {
  const [first = "", ...rest] = parts;
  if (!startsAt(text, first, 0)) return false;
  const last = rest.pop();
  if (last === undefined) return text.length === first.length;
  let at = first.length;
  for (const part of rest) {
    at = indexOfPart(text, part, at);
    if (at < 0) return false;
    at += part.length;
  }
  const lastAt = text.length - last.length;
  return lastAt >= at && startsAt(text, last, lastAt);
}

/** `part` at exactly `at`; its `?` are any character. */
function startsAt(text: string, part: string, at: number): boolean {
  if (!part.includes("?")) return text.startsWith(part, at);
  if (at + part.length > text.length) return false;
  for (let index = 0; index < part.length; index++) {
    if (part[index] !== "?" && part[index] !== text[at + index]) return false;
  }
  return true;
}

function indexOfPart(text: string, part: string, from: number): number {
  if (!part.includes("?")) return text.indexOf(part, from);
  for (let at = from; at + part.length <= text.length; at++) {
    if (startsAt(text, part, at)) return at;
  }
  return -1;
}

/** Whether the word, of which not all is known, may come to match the pattern. Never wrongly false. */
export function globMayMatch({ pattern }: Glob, { pieces }: Word): boolean {
  const known = pieces.join("").length + pieces.length;
  if (known * pattern.length > globWorkMax) return true;
  // Both have places for anything: positions of the pattern that may be reached, character by character.
  let reached = closure(pattern, new Set([0]));
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) reached = allFrom(pattern, reached);
    for (const char of piece.split("")) reached = step(pattern, reached, char);
  }
  return reached.has(pattern.length);
}

function step(pattern: string, from: ReadonlySet<number>, char: string): Set<number> {
  const next = new Set<number>();
  for (const at of from) {
    if (pattern[at] === "*") next.add(at);
    else if (pattern[at] === char || pattern[at] === "?") next.add(at + 1);
  }
  return closure(pattern, next);
}

/** A star may stand for nothing. */
function closure(pattern: string, positions: Set<number>): Set<number> {
  for (const at of positions) if (pattern[at] === "*") positions.add(at + 1);
  return positions;
}

/** Any text may come: every place behind one that is reached. */
function allFrom(pattern: string, from: ReadonlySet<number>): Set<number> {
  const least = Math.min(...from);
  const count = from.size === 0 ? 0 : pattern.length - least + 1;
  return new Set(Array.from({ length: count }, (_, index) => least + index));
}

/** Spellings of an address that open the same page, or to which a rule against it applies as well. */
interface UrlTexts {
  /** The address as programs write it: small letters, no usual port, a slash behind the host. */
  readonly same: readonly string[];
  /** Besides: without its port, user, fragment and the dot behind its host, and with nothing encoded. */
  readonly near: readonly string[];
}

const noUrlTexts: UrlTexts = { same: [], near: [] };

/** The spellings of an argument that is a URL, blanks around it aside; none for other arguments. */
export function urlTextsOf(text: string): UrlTexts {
  const url = text.includes(":") ? URL.parse(text.trim()) : null;
  if (url === null || url.host === "") return noUrlTexts;
  const bare = new URL(url.href);
  for (const part of ["hash", "username", "password"] as const) bare[part] = "";
  bare.hostname = bare.hostname.replace(/\.+$/, "");
  const near = [bare.href];
  bare.port = "";
  near.push(
    bare.href,
    bare.href.replace(bare.hostname, () => domainToUnicode(bare.hostname)),
  );
  near.push(...near.flatMap(decoded));
  return { same: withoutSlash([url.href]), near: withoutSlash(near) };
}

/** Whether a pattern is about one of them; its host may be in any letters. */
export function globMatchesUrl(glob: Glob, texts: readonly string[]): boolean {
  if (texts.length === 0) return false;
  const written = /^([^:/]*:\/\/[^/]*)(.*)$/s.exec(glob.pattern);
  if (written === null) return texts.some((text) => globMatches(glob, text));
  const [, origin = "", rest = ""] = written;
  const usual = origin.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, "$1$2");
  const normal = createGlob(usual + rest);
  return texts.some((text) => globMatches(normal, text));
}

/** Adds to the addresses that have nothing but a slash behind the host the spelling without it. */
function withoutSlash(texts: readonly string[]): readonly string[] {
  const bare = texts.filter((text) => /^[^/]*:\/\/[^/]*\/$/.test(text));
  return [...texts, ...bare.map((text) => text.slice(0, -1))];
}

function decoded(text: string): readonly string[] {
  try {
    return [decodeURIComponent(text)];
  } catch {
    return [];
  }
}
