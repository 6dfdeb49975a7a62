import { byteOrderMark, parseEnvLine, quotedForEnv } from "./env-file.ts";

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
