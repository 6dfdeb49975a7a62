import { readHereDocuments } from "./here-documents.ts";
import { type Input, literalOf, type Redirect } from "./shell-command.ts";
import { type ShellText, Unreadable } from "./shell-text.ts";
import { readWord } from "./word.ts";

/** What a command reads and writes besides its arguments. */
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
  // Others take it for the end of a command, and what follows for the next one.
  if (found.startsWith("&")) text.assertBash("&>");
  text.at += found.length;
  text.refuseSplitOperator();
  text.skipBlanks();
  // Of several the last one counts; what a file has is not known.
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
    // A token by itself: what follows is the next word, without a blank too.
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
