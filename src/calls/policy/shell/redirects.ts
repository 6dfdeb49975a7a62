import { WordBuilder } from "./ansi-quote.ts";
import { readBackquote, readDollar } from "./expansions.ts";
import {
  type AwaitedDocument,
  type Input,
  literalOf,
  type Redirect,
  type ShellText,
  Unreadable,
} from "./shell-text.ts";
import { readWord } from "./word.ts";

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
