import { byteOrderMark, parseEnvLine } from "./env-file.ts";

/**
 * `text` with `KEY=value` in it: in place of the value that counted (the last one), else as a new last
 * line. Every other byte stays: comments, order, line endings, unknown lines, spaces around `=`.
 */
export function setInEnvText(text: string, key: string, value: string): string {
  const lines = splitLines(text);
  const index = lines.findLastIndex((line) => keyOf(line) === key);
  if (index === -1) return appendLine(text, `${key}=${value}`);
  return lines.map((line, at) => (at === index ? replaceValue(line, value) : line)).join("");
}

/** `text` without any line that sets `key`. */
export function unsetInEnvText(text: string, key: string): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const lines = splitLines(text.slice(mark.length));
  return mark + lines.filter((line) => keyOf(line) !== key).join("");
}

/** The lines with their endings; joined they are the text again. */
function splitLines(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function keyOf(line: string): string | undefined {
  const parsed = parseEnvLine(line.startsWith(byteOrderMark) ? line.slice(1) : line);
  return parsed === undefined || parsed === "bad" ? undefined : parsed.key;
}

function replaceValue(line: string, value: string): string {
  const afterEquals = line.indexOf("=") + 1;
  const rest = line.slice(afterEquals);
  const spaceBefore = /^[ \t]*/.exec(rest)?.[0] ?? "";
  const ending = /\s*$/.exec(rest.slice(spaceBefore.length))?.[0] ?? "";
  return line.slice(0, afterEquals) + spaceBefore + value + ending;
}

/** A new line ends as the last one does. */
function appendLine(text: string, line: string): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const isOpenEnded = text !== "" && text !== byteOrderMark && !text.endsWith("\n");
  return `${text}${isOpenEnded ? newline : ""}${line}${newline}`;
}
