import { readSource } from "./read-source.ts";

/** A piece of prose that readers see, in one line. */
export interface Passage {
  readonly text: string;
  /** Where it begins, from 1. */
  readonly line: number;
  /** Present for a doc comment. */
  readonly isDoc?: true;
}

/** The prose of a file: of a source file its string literals and its comments. */
export function readPassages(path: string, text: string): Passage[] {
  if (path.endsWith(".ts")) return ofSource(text);
  return path.endsWith(".md") ? ofMarkdown(text) : ofLines(text);
}

function ofSource(source: string): Passage[] {
  return readSource(source)
    .map(({ kind, text, line }) => ({
      text: oneLine(proseOf[kind](text)),
      line,
      ...(kind === "doc comment" && { isDoc: true as const }),
    }))
    .filter(({ text }) => text.includes(" "));
}

const proseOf = {
  string: (text: string): string => text,
  "doc comment": withoutStars,
  "line comment": (text: string): string => text.replaceAll(/^\s*\/\/ ?/gm, ""),
};

function oneLine(text: string): string {
  return text
    .replaceAll(/`[^`\n]*`/g, "`code`")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The text of a doc comment. */
function withoutStars(comment: string): string {
  return comment
    .slice(3, -2)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n");
}

/** Blocks of a Markdown file without fences, generated blocks, link targets and HTML; of a table each cell. */
function ofMarkdown(text: string): Passage[] {
  const lines = text
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, (fence) => fence.replaceAll(/[^\n]/g, ""))
    .replaceAll(/<!-- (\w+):begin -->[\s\S]*?<!-- \1:end -->/g, (block) =>
      block.replaceAll(/[^\n]/g, ""),
    )
    .replaceAll(/<!--[\s\S]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, ""))
    .split("\n");
  const found: { lines: string[]; line: number }[] = [];
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const begins = /^\s*(#|\||[-*] |\d+\. )/.test(line);
    if (isOpen && line !== "" && !begins) found.at(-1)?.lines.push(line);
    else if (line !== "") found.push({ lines: [line], line: index + 1 });
    isOpen = line !== "" && !/^[#|]/.test(line);
  }
  return found
    .filter(({ lines }) => lines[0]?.startsWith("#") === false)
    .flatMap(({ lines, line }) => {
      const block = oneLine(lines.join("\n").replaceAll(/\]\([^)\s]*\)/g, "]"));
      const parts = block.startsWith("|") ? block.split("|") : [block];
      return parts.map((part) => ({ text: part.replace(/^([-*]|\d+\.) /, "").trim(), line }));
    })
    .filter(({ text }) => text.includes(" "));
}

function ofLines(text: string): Passage[] {
  return text.split("\n").map((line, index) => ({
    text: oneLine(line.replaceAll(/\$\w+/g, "value")),
    line: index + 1,
  }));
}
