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
 * Reads the text of a `scorpiox-env.txt`: `#` comments, keys case-sensitive, keys and values trimmed,
 * everything after the first `=` is the value. Never throws.
 */
export function parseEnvFile(text: string): EnvFile {
  const entries: EnvLine[] = [];
  const badLines: number[] = [];
  const lines = text.startsWith(byteOrderMark) ? text.slice(1).split("\n") : text.split("\n");
  for (const [index, line] of lines.entries()) {
    const parsed = parseEnvLine(line);
    if (parsed === undefined) continue;
    if (parsed === "bad") badLines.push(index + 1);
    else entries.push({ ...parsed, line: index + 1 });
  }
  return { entries, badLines };
}

/** `undefined` for an empty line or a comment. */
export function parseEnvLine(
  line: string,
): { readonly key: string; readonly value: string } | "bad" | undefined {
  const trimmed = line.trim();
  if (trimmed === "" || trimmed.startsWith("#")) return undefined;
  const equals = trimmed.indexOf("=");
  const key = trimmed.slice(0, Math.max(equals, 0)).trimEnd();
  if (!isKeyName(key)) return "bad";
  return { key, value: trimmed.slice(equals + 1).trimStart() };
}

export function isKeyName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/.test(text);
}
