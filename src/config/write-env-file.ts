import { byteOrderMark, parseEnvLine, quotedForEnv } from "./env-file.ts";
import { AppError, messageOf } from "../base/errors.ts";
import { isKeyName } from "./env-file.ts";
import { readTextFile } from "./read-text-file.ts";
import { type EditTarget, resolveTarget } from "./edit-target.ts";
import { replaceFile } from "./replace-file.ts";

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
