/** Writes text so that Markdown shows it as it is, with as few backslashes as that takes. */

/** Signs that have a meaning at any place, or at the end of a piece, where the next one is not known. */
const inline =
  /\\(?=[!-/:-@[-`{-~]|$)|[`]|\*(?! )|(?<! )\*|_(?=[^\p{L}\p{N}])|(?<![\p{L}\p{N}])_|_$(?<=(?<![\p{L}\p{N}])_[\p{L}\p{N}_]{0,40}_)|~(?=~|$)|(?<=~)~|<(?![\s\d=<])|&(?=#?\w{1,31};|#?$)|!(?=\[)|\](?=[\u0080-\u009f]*[([])|\[(?=\^)/gu;

/** Escapes a piece of text that has no line breaks. */
export function escapeText(text: string): string {
  return /[\\`*_~<&!\][]/.test(text) ? text.replace(inline, "\\$&") : text;
}

/** Escapes what would make a heading, list, quote, rule, table, fence or definition of a line of inline Markdown. */
export function escapeLineStart(line: string): string {
  if (/^(?:[#>+=|:-]|~~~)/.test(line)) {
    if (
      /^(?:#{1,6}(?:\s|$)|>|[+-](?:\s|$)|[-=]{2,}\s*$|=\s*$|\||~~~|-\s*-[-\s]*$|:?-+:?(?:\s*\|\s*:?-+:?)+\s*$)/.test(
        line,
      )
    )
      return `\\${line}`;
    return line;
  }
  const number = /^(\d{1,9})([.)])(?=\s|$)/.exec(line);
  if (number !== null) return `${number[1]}\\${line.slice(number[1]?.length)}`;
  return /^\[[^\]]*\]:/.test(line) ? `\\${line}` : line;
}

/** Escapes brackets, which would end or nest the text of a link. */
export function escapeBrackets(markdown: string): string {
  return markdown.replace(/\\[\s\S]|[[\]]/g, (found) =>
    found.length === 2 ? found : `\\${found}`,
  );
}

/** Text between backticks: as many of them as it takes, white space as in running text. */
export function inlineCode(raw: string, style: "markdown" | "text"): string {
  const text = raw.replace(/\s+/g, " ").trim();
  if (text === "" || style === "text") return text;
  const runs = text.match(/`+/g)?.map((run) => run.length) ?? [];
  const taken = new Set(runs);
  let length = 1;
  while (taken.has(length)) length++;
  const fence = "`".repeat(length);
  const isPadded = text.startsWith("`") || text.endsWith("`");
  return isPadded ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

/** The lines of a fence around code: longer than any run of its sign inside. */
export function fenceLines(language: string, text: string): string[] {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = "`".repeat(runs.reduce((most, run) => Math.max(most, run.length + 1), 3));
  return [`${fence}${language}`, ...text.split("\n"), fence];
}
