import { WordBuilder } from "./ansi-quote.ts";
import {
  readBackquote,
  readDollar,
  readDoubleQuote,
  readProcessSubstitution,
  readSingleQuote,
} from "./expansions.ts";
import { type ShellText, Unreadable, type Word } from "./shell-text.ts";

export interface ReadWord {
  readonly word: Word;
  /** Its text when nothing of it was quoted or expanded: only such words are reserved. */
  readonly plain: string | undefined;
  /** Some of it was quoted. */
  readonly isQuoted: boolean;
  /** The variable that it sets, if it is an assignment. */
  readonly variable: string | undefined;
}

/** Between words; other white space does not separate words in a shell. */
const delimiters = " \t\n;&|()<>";

/**
 * The word at this place.
 * @param isPattern parentheses belong to it, as after `=~` in `[[ ]]`
 * @throws Unreadable also when there is none
 */
export function readWord(text: ShellText, isPattern = false): ReadWord {
  const begin = text.at;
  const builder = new WordBuilder();
  let variable: string | undefined;
  let hasEquals = false;
  let isPlain = true;
  let open = 0;
  for (;;) {
    const from = text.at;
    if (text.skip(/[^ \t\n;&|()<>"'\\$`*?[{~=]+/y)) builder.add(text.text.slice(from, text.at));
    const char = text.char();
    if (char === "=") {
      // Only once: a word may have thousands of them.
      if (!hasEquals) variable = variableBefore(text.text.slice(begin, text.at), builder);
      hasEquals = true;
      builder.add("=");
      text.at++;
      if (variable !== undefined && text.char() === "(") readArray(text);
    } else if (isPattern && isOfPattern(char, open)) {
      open += nesting[char] ?? 0;
      text.at++;
      builder.endKnown(true);
    } else if (!readSpecial(text, builder, begin)) break;
    isPlain &&= "=[]{}".includes(char);
  }
  if (text.at === begin) throw new Unreadable(describe(text.char()));
  const { word } = builder;
  const plain = isPlain ? text.text.slice(begin, text.at) : undefined;
  return { word, plain, isQuoted: builder.isQuoted, variable };
}

/** Parentheses that a character of a pattern opens; `)` closes one. */
const nesting: Readonly<Record<string, number | undefined>> = { "(": 1, ")": -1 };

/** Whether a pattern has this character, which else ends words. @param open parentheses that are open */
function isOfPattern(char: string, open: number): boolean {
  if (open === 0) return char === "(" || char === "|";
  return char !== "" && "()|<>&; \t\n".includes(char);
}

/** False at the end of the word. */
function readSpecial(text: ShellText, builder: WordBuilder, begin: number): boolean {
  const char = text.char();
  switch (char) {
    case "'":
      readSingleQuote(text, builder);
      return true;
    case '"':
      readDoubleQuote(text, builder);
      return true;
    case "$":
      readDollar(text, builder, false);
      return true;
    case "`":
      readBackquote(text, builder, false);
      return true;
    case "\\":
      readEscape(text, builder);
      return true;
    case "<":
    case ">":
      if (text.char(1) !== "(") return false;
      readProcessSubstitution(text, builder);
      return true;
    case "*":
    case "?":
      builder.addUnknown(true);
      text.at++;
      return true;
    case "[":
    case "{":
      readBracket(text, builder, begin);
      return true;
    case "~":
      readTilde(text, builder, begin);
      return true;
    default:
      return false;
  }
}

function readEscape(text: ShellText, builder: WordBuilder): void {
  const next = text.char(1);
  if (next === "") throw new Unreadable("a backslash at the end");
  text.at += 2;
  if (next === "\n") return assertEndsWord(text);
  builder.isQuoted = true;
  builder.add(next);
}

/** Names, numbers and options would be one word for the shell that are two for us: nobody writes that by accident. */
function assertEndsWord(text: ShellText): void {
  text.skip(/(?:\\\n)+/y);
  if (!text.isAtEnd && !" \t\n;&|)".includes(text.char())) {
    throw new Unreadable("a line is continued within a word");
  }
}

/** `[` and `{` alone are words like others, `{}` is nothing special; else the shell makes something of them. */
function readBracket(text: ShellText, builder: WordBuilder, begin: number): void {
  const char = text.char();
  const next = text.char(1);
  const isAlone = text.at === begin && (next === "" || delimiters.includes(next));
  const isPair = char === "{" && next === "}";
  text.at += isPair ? 2 : 1;
  if (isPair) builder.add("{}");
  else if (isAlone) builder.add(char);
  else builder.endKnown(true);
}

function readTilde(text: ShellText, builder: WordBuilder, begin: number): void {
  text.at++;
  const next = text.char();
  if (text.at > begin + 1) builder.add("~");
  else if (next === "" || next === "/" || delimiters.includes(next)) {
    builder.add(text.findings.homeDir);
  } else builder.endKnown(false);
}

function variableBefore(written: string, { isQuoted }: WordBuilder): string | undefined {
  if (isQuoted) return undefined;
  return /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?$/.exec(written)?.[1];
}

/** `(…)` of an array that is assigned. */
function readArray(text: ShellText): void {
  text.at++;
  text.deeper(() => {
    for (;;) {
      text.skipBlanks();
      if (text.char() === ")") break;
      if (text.char() !== "\n") readElement(text);
      else if (text.awaited.length === 0) text.at++;
      else throw new Unreadable("a here-document within an array");
    }
  });
  text.at++;
}

/** @throws Unreadable for an array in an array, which bash reads in another way */
function readElement(text: ShellText): void {
  const begin = text.at;
  const { variable } = readWord(text);
  if (variable !== undefined && text.text.slice(begin, text.at).includes("=(")) {
    throw new Unreadable("an array in an array");
  }
}

function describe(char: string): string {
  return char === ""
    ? "a word is missing at its end"
    : `${JSON.stringify(char)} where a word should be`;
}
