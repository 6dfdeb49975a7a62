import {
  readBackquote,
  readDollar,
  readDoubleQuote,
  readProcessSubstitution,
  readSingleQuote,
} from "./expansions.ts";
import {
  type AwaitedDocument,
  type Input,
  literalOf,
  type Redirect,
  type ShellText,
  Unreadable,
  type Word,
  WordBuilder,
} from "./shell-text.ts";

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

/** The input and output of a command besides its arguments. */
export interface Redirections {
  readonly redirects: Redirect[];
  input: Input | undefined;
}

/** A number before `&>` is a word. */
const start = /(?:\d+|\{[A-Za-z_]\w*\})?[<>](?!\()|&>/y;
const operator = /&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||<|>/y;

export function isAtRedirect(text: ShellText): boolean {
  // Nearly all words begin with a letter or a dash.
  return /[\d{<>&]/.test(text.char()) && text.match(start) !== undefined;
}

/** One redirection, at its first character. @throws Unreadable */
export function readRedirect(text: ShellText, into: Redirections): void {
  const begin = text.at;
  text.skip(/(?:\d+|\{[A-Za-z_]\w*\})/y);
  const descriptor = text.text.slice(begin, text.at);
  const found = text.match(operator) ?? "";
  const isInput = descriptor === "" ? found.startsWith("<") : /^0+$/.test(descriptor);
  // Other shells take it for the end of a command, and the rest for the next one.
  if (found.startsWith("&")) text.assertBash("&>");
  text.at += found.length;
  text.refuseSplitOperator();
  text.skipBlanks();
  // Of several the last one is used; the content of a file is not known.
  const input: TextInput = { kind: "text", text: undefined };
  if (isInput) into.input = input;
  switch (found) {
    case "<<":
    case "<<-":
      return awaitDocument(text, input, found === "<<-");
    case "<<<":
      input.text = literalOf(readWord(text).word);
      return;
    default:
      into.redirects.push(readTarget(text, found));
  }
}

interface TextInput {
  readonly kind: "text";
  text: string | undefined;
}

function readTarget(text: ShellText, found: string): Redirect {
  const duplicates = found === "<&" || found === ">&";
  if (duplicates && text.char() === "-") {
    // A token by itself: the next word begins behind it, without a blank too.
    text.at++;
    return { kind: "duplicate", target: { pieces: ["-"], isMany: false } };
  }
  const { word: target } = readWord(text);
  if (found === "<") return { kind: "read", target };
  if (duplicates && /^(?:\d+-?|-)$/.test(literalOf(target) ?? ""))
    return { kind: "duplicate", target };
  // bash expands the file of `>&` twice, quoted or not (redir.c).
  if (duplicates && /[$`<>]/.test(literalOf(target) ?? "$")) {
    throw new Unreadable("a redirection that is expanded twice");
  }
  return { kind: found === "<&" ? "duplicate" : "write", target };
}

function awaitDocument(text: ShellText, input: TextInput, stripsTabs: boolean): void {
  const begin = text.at;
  const { word, isQuoted } = readWord(text);
  const delimiter = literalOf(word);
  if (delimiter === undefined || text.text.charAt(begin) === "~") {
    throw new Unreadable("a here-document whose end is not plain text");
  }
  const take = (body: string | undefined): void => {
    input.text = body;
  };
  text.awaited.push({ delimiter, isLiteral: isQuoted, stripsTabs, take });
}

/** Newlines and blanks; here-documents begin after the first. @throws Unreadable */
export function skipNewlines(text: ShellText): void {
  for (text.skipBlanks(); text.char() === "\n"; text.skipBlanks()) {
    text.at++;
    readHereDocuments(text);
  }
}

/** The bodies of the here-documents of the line that ended just before this place. @throws Unreadable */
export function readHereDocuments(text: ShellText): void {
  const documents = text.awaited;
  text.awaited = [];
  for (const document of documents) readBody(text, document);
}

function readBody(text: ShellText, document: AwaitedDocument): void {
  const lines: string[] = [];
  while (!text.isAtEnd) {
    const line = readLine(text, document);
    if (line === document.delimiter) break;
    // Shells differ in whether a substitution may end on the line of the delimiter.
    if (line.startsWith(`${document.delimiter})`)) {
      throw new Unreadable("a here-document that ends with its substitution");
    }
    lines.push(line);
  }
  const body = lines.map((line) => `${line}\n`).join("");
  if (document.isLiteral || !/[$`\\]/.test(body)) return document.take(body);
  readExpansions(text, body);
  document.take(undefined);
}

function readLine(text: ShellText, { isLiteral, stripsTabs }: AwaitedDocument): string {
  const parts: string[] = [];
  for (;;) {
    const end = text.text.indexOf("\n", text.at);
    const line = text.text.slice(text.at, end < 0 ? undefined : end);
    text.at = end < 0 ? text.text.length : end + 1;
    const isContinued = !isLiteral && end >= 0 && /(?:^|[^\\])(?:\\\\)*\\$/.test(line.slice(-64));
    if (isContinued && /\\{64}$/.test(line)) throw new Unreadable("very many backslashes");
    parts.push(isContinued ? line.slice(0, -1) : line);
    if (!isContinued) break;
  }
  const joined = parts.join("");
  return stripsTabs ? joined.replace(/^\t+/, "") : joined;
}

/** The expansions that the shell performs while it makes the body. */
function readExpansions(outer: ShellText, body: string): void {
  const text = outer.within(body);
  const ignored = new WordBuilder();
  while (!text.isAtEnd) {
    text.skip(/[^$`\\]+/y);
    if (text.char() === "\\") text.at += 2;
    else if (text.char() === "$") readDollar(text, ignored, true);
    else if (text.char() === "`") readBackquote(text, ignored, true);
  }
}
