/** A TOML text as it is seen without parsing it. */
export interface TomlStatements {
  /** Where they end: after each of them the text could be whole. What comes after a fault may be cut anywhere. */
  readonly ends: readonly number[];
  /** Keys, tables and lists that are in no other list: what takes the parser time with the square of their number. */
  readonly definitions: number;
}

/** Finds the statements of a TOML text, right up to its first fault. Linear; never throws. */
export function findTomlStatements(text: string): TomlStatements {
  const ends: number[] = [];
  let definitions = 0;
  let depth = 0;
  let index = 0;
  while (index < text.length) {
    const character = text[index] ?? "";
    if (character === '"' || character === "'") {
      index = endOfString(text, index, character);
      continue;
    }
    if (character === "#") {
      const end = text.indexOf("\n", index);
      index = end === -1 ? text.length : end;
      continue;
    }
    if (character === "=" || (character === "[" && depth === 0)) definitions++;
    if ("[{".includes(character)) depth++;
    if ("]}".includes(character)) depth = Math.max(depth - 1, 0);
    index++;
    if (character === "\n" && depth === 0) ends.push(index);
  }
  ends.push(text.length);
  return { ends, definitions };
}

/** The index after the string that begins at `start`; one that is not closed ends with its line, or the text. */
function endOfString(text: string, start: number, quote: string): number {
  const triple = quote.repeat(3);
  const isLong = text.startsWith(triple, start);
  const close = isLong ? triple : quote;
  let index = start + close.length;
  while (index < text.length) {
    if (text.startsWith(close, index)) return index + close.length;
    if (!isLong && text[index] === "\n") return index;
    index += quote === '"' && text[index] === "\\" ? 2 : 1;
  }
  return text.length;
}
