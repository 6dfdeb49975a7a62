import { AppError, messageOf } from "../base/errors.ts";
import { readTextFile } from "./read-text-file.ts";
import { type EditTarget, replaceFile, resolveTarget } from "./replace-file.ts";
/** One `KEY=VALUE` line. */
interface EnvLine {
  readonly key: string;
  readonly value: string;
  /** Counted from 1. */
  readonly line: number;
}

export interface EnvFile {
  /** In file order, duplicates included. */
  readonly entries: readonly EnvLine[];
  /** Lines that are neither empty, nor a comment, nor `KEY=VALUE`. */
  readonly badLines: readonly number[];
}

/** The byte order mark that some Windows editors put first. */
export const byteOrderMark = "\uFEFF";

/**
 * Reads the text of a `scorpiox-env.txt`: lines of `KEY=VALUE`, also `export KEY=VALUE`; keys are case-sensitive, keys and
 * values trimmed. A `#` at the beginning of a line or after white space starts a comment, but not within quotes; `a#b` is a
 * value. A value that is in quotes as a whole loses them. Never throws.
 */
export function parseEnvFile(text: string): EnvFile {
  const entries: EnvLine[] = [];
  const badLines: number[] = [];
  const lines = text.startsWith(byteOrderMark) ? text.slice(1).split("\n") : text.split("\n");
  for (const [index, line] of lines.entries()) {
    const parsed = parseEnvLine(line);
    if (parsed === undefined) continue;
    if (parsed === "bad") badLines.push(index + 1);
    else entries.push({ key: parsed.key, value: parsed.value, line: index + 1 });
  }
  return { entries, badLines };
}

/** A line that sets a key, and where in it the value is written, quotes included. */
interface Setting {
  readonly key: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** `undefined` for an empty line or a comment. */
function parseEnvLine(line: string): Setting | "bad" | undefined {
  const trimmed = line.trim();
  if (trimmed === "" || trimmed.startsWith("#")) return undefined;
  const equals = line.indexOf("=");
  const key = line.slice(0, Math.max(equals, 0)).trim().replace(exportPattern, "");
  if (!isKeyName(key)) return "bad";
  const written = writtenValue(line.slice(equals + 1));
  if (written === "") return { key, value: "", start: equals + 1, end: equals + 1 };
  const start = line.indexOf(written, equals + 1);
  return { key, value: unquoted(written).trim(), start, end: start + written.length };
}

function isKeyName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/.test(text);
}

/**
 * `value` as it is written after a `=`: in quotes where it would be read as something else without them, whatever
 * blanks and comment are around it.
 */
function quotedForEnv(value: string): string {
  if (["", " # '", ' # "'].every((comment) => isReadAs(` ${value}${comment}`, value))) return value;
  if (!value.includes("'")) return `'${value}'`;
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** As a shell takes it. */
const exportPattern = /^export\s+/;

/** A text in quotes: in double quotes `\"` and `\\` are escapes, every other backslash is literal. */
const quotedText = /"(?:[^"\\]|\\.)*"|'[^']*'/y;

/** The text after a `=`, trimmed and without the comment. */
function writtenValue(text: string): string {
  const unclosed = new Set<string>();
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "#" && /\s/.test(text[at - 1] ?? "")) return text.slice(0, at).trim();
    if ((character !== '"' && character !== "'") || unclosed.has(character)) continue;
    quotedText.lastIndex = at;
    if (quotedText.test(text)) at = quotedText.lastIndex - 1;
    // A quote without its other half is a character like any other, and so are those after it: each is looked for once.
    else unclosed.add(character);
  }
  return text.trim();
}

function unquoted(written: string): string {
  quotedText.lastIndex = 0;
  const isWhole = quotedText.test(written) && quotedText.lastIndex === written.length;
  if (!isWhole) return written;
  const inner = written.slice(1, -1);
  return written.startsWith("'") ? inner : inner.replaceAll(/\\(["\\])/g, "$1");
}

function isReadAs(text: string, value: string): boolean {
  const parsed = parseEnvLine(`K=${text}`);
  return typeof parsed === "object" && parsed.value === value;
}

/**
 * Sets `key` in a `scorpiox-env.txt`, which is created with its folder when missing.
 * @throws {AppError} `usage` for a key or value that does not fit on one line, `system` or `config` when
 * the file cannot be read or written.
 */
export function setInEnvFile(target: EditTarget, key: string, value: string): void {
  if (!isKeyName(key))
    throw new AppError("usage", `${JSON.stringify(key)} is not a valid key name.`);
  const trimmed = value.trim();
  if (/[\r\n\0]/.test(trimmed)) {
    throw new AppError("usage", `The value of ${key} must be on one line.`);
  }
  editFile(target, (text) => setInEnvText(text, key, trimmed));
}

/** Removes `key`. False when it was not set there. Throws as `setInEnvFile` does. */
export function unsetInEnvFile(target: EditTarget, key: string): boolean {
  if (readTextFile(target.file).kind === "absent") return false;
  return editFile(target, (text) => unsetInEnvText(text, key));
}

/** True when the text changed. */
function editFile(target: EditTarget, edit: (text: string) => string): boolean {
  try {
    const file = resolveTarget(target);
    const content = readTextFile(file);
    if (content.kind === "unusable") {
      throw new AppError("config", `${file} ${content.reason}; it was not changed.`);
    }
    const before = content.kind === "text" ? content.text : "";
    const after = edit(before);
    if (after === before) return false;
    replaceFile(file, after);
    return true;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("system", `${target.file} cannot be written: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * `text` with `KEY=value` in it: in place of the value in effect (the last one), else as a new last line. Every other byte
 * stays: comments, also after the value, order, line endings, unknown lines, spaces around `=`.
 */
export function setInEnvText(text: string, key: string, value: string): string {
  const lines = splitLines(text);
  const written = quotedForEnv(value);
  const index = lines.findLastIndex((line) => settingOf(line)?.key === key);
  if (index === -1) return appendLine(text, `${key}=${written}`);
  return lines.map((line, at) => (at === index ? replaceValue(line, written) : line)).join("");
}

/** `text` without any line that sets `key`. */
export function unsetInEnvText(text: string, key: string): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const lines = splitLines(text.slice(mark.length));
  return mark + lines.filter((line) => settingOf(line)?.key !== key).join("");
}

/** The lines with their endings; joined they are the text again. */
function splitLines(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function settingOf(line: string): Exclude<ReturnType<typeof parseEnvLine>, "bad"> {
  const parsed = parseEnvLine(line);
  return parsed === "bad" ? undefined : parsed;
}

function replaceValue(line: string, written: string): string {
  const { start, end } = settingOf(line) ?? { start: line.length, end: line.length };
  return line.slice(0, start) + written + line.slice(end);
}

/** A new line ends as the last one does. */
function appendLine(text: string, line: string): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const isOpenEnded = text !== "" && text !== byteOrderMark && !text.endsWith("\n");
  return `${text}${isOpenEnded ? newline : ""}${line}${newline}`;
}
