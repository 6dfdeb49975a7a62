import { shellCommandsMax } from "../../../base/limits.ts";
import { evaluated, hasSubscript, holdsCommand } from "./changes.ts";
import { isAtRedirect, readRedirect, type Redirections } from "./redirects.ts";
import { literalOf, type ShellText, Unreadable, type Word } from "./shell-text.ts";
import { type ReadWord, readWord } from "./word.ts";

const reservedWords: ReadonlySet<string> = new Set(
  [
    "if then elif else fi for while until do done case esac select function time coproc".split(" "),
    ["{", "}", "!", "[["],
  ].flat(),
);

/** All else is not looked at further. */
const firstCharacters: ReadonlySet<string> = new Set(
  [...reservedWords].map((word) => word.charAt(0)),
);

const expression =
  /(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|time|coproc|[{}!]|\[\[)(?![^ \t\n;&|()<>])/y;

/** The reserved word at this place; undefined for all else. */
export function reservedWordAt(text: ShellText): string | undefined {
  return firstCharacters.has(text.char()) ? text.match(expression) : undefined;
}

/** True when it was there; the place is behind it then. */
export function takeReservedWord(text: ShellText, word: string): boolean {
  if (reservedWordAt(text) !== word) return false;
  text.at += word.length;
  return true;
}

function isReservedWord(word: string): boolean {
  return reservedWords.has(word);
}

/** `[[ … ]]`, behind the brackets that open it: only the expansions in it run. @throws Unreadable */
export function readCondition(text: ShellText): void {
  text.assertBash("[[ ]]");
  let isPattern = false;
  for (;;) {
    text.skipBlanks();
    if (text.isAtEnd) throw new Unreadable("]] is missing");
    if (text.match(/\]\](?![^ \t\n;&|()<>])/y) !== undefined) {
      text.at += 2;
      return;
    }
    if (text.char() === "\n" && text.awaited.length > 0)
      throw new Unreadable("a here-document within [[ ]]");
    if (!isPattern && text.match(/[\n()&|]|[<>](?!\()/y) !== undefined) text.at++;
    else {
      const operator = text.match(/=~(?=[ \t])/y);
      if (operator === undefined) assertNotEvaluated(readWord(text, isPattern).word);
      else text.at += operator.length;
      isPattern = operator !== undefined;
    }
  }
}

function assertNotEvaluated({ pieces }: Word): void {
  if (hasSubscript(pieces.join(""))) throw new Unreadable(evaluated);
}

/** Redirections of the construct before them: a group, a loop. @throws Unreadable */
export function readRedirectsAfter(text: ShellText): void {
  const found: Redirections = { redirects: [], input: undefined };
  for (text.skipBlanks(); isAtRedirect(text); text.skipBlanks()) readRedirect(text, found);
  if (found.redirects.length > 0) add(text, [], [], found);
}

/**
 * A program with its arguments, or assignments, or the definition of a function.
 * @param readFunctionBody reads the body after its name
 * @throws Unreadable
 */
export function readSimple(text: ShellText, readFunctionBody: (text: ShellText) => void): void {
  const words: Word[] = [];
  const assignments: string[] = [];
  const found: Redirections = { redirects: [], input: undefined };
  let isDeclaring = false;
  for (;;) {
    text.skipBlanks();
    if (isAtRedirect(text)) {
      readRedirect(text, found);
      continue;
    }
    if (text.isAtEnd || "\n;&|()".includes(text.char())) break;
    const read = readWord(text);
    if (words.length > 0) words.push(isDeclared(read, isDeclaring) ? declared(read) : read.word);
    else if (read.variable !== undefined) {
      assignments.push(read.variable);
      if (holdsCommand(read.word.pieces.join(""))) text.findings.unknowns.add(evaluated);
    } else {
      // Behind assignments and redirections the shell knows no reserved words.
      const isFirst = isEmpty(assignments, found);
      assertMayLead(read, isFirst, assignments.length > 0);
      if (isFirst && isFunctionHead(text)) return text.deeper(() => readFunctionBody(text));
      isDeclaring = !read.isQuoted && declaring.has(literalOf(read.word) ?? "");
      words.push(read.word);
    }
  }
  if (words.length === 0 && isEmpty(assignments, found)) {
    throw new Unreadable(`a command is missing before ${JSON.stringify(text.char())}`);
  }
  add(text, words, assignments, found);
}

function isEmpty(assignments: readonly string[], { redirects, input }: Redirections): boolean {
  return assignments.length + redirects.length === 0 && !input;
}

/** The first word that is not an assignment: the name of a program. @throws Unreadable */
function assertMayLead(read: ReadWord, isFirst: boolean, isAssigned: boolean): void {
  if (isFirst) assertNotReserved(read);
  else if (!isAssigned) assertNotMoved(read);
}

/** Behind these words, if written literally, `NAME=$value` is an assignment: blanks in the value do not end the word. */
const declaring: ReadonlySet<string> = new Set("declare typeset local readonly export".split(" "));

function isDeclared({ variable, word }: ReadWord, isDeclaring: boolean): boolean {
  return isDeclaring && variable !== undefined && literalOf(word) === undefined;
}

function declared({ variable = "" }: ReadWord): Word {
  return { pieces: [`${variable}=`, ""], isMany: false };
}

/** Whether `()` comes next. */
function isFunctionHead(text: ShellText): boolean {
  let offset = 0;
  while (text.char(offset) === " " || text.char(offset) === "\t") offset++;
  return text.char(offset) === "(" && text.match(/[ \t]*\([ \t]*\)/y) !== undefined;
}

/** A word that a continued line hides would be reserved for the shell. */
function assertNotReserved({ word, isQuoted }: ReadWord): void {
  const literal = literalOf(word);
  if (literal !== undefined && !isQuoted && isReservedWord(literal)) {
    throw new Unreadable(`${literal} is not expected here`);
  }
}

/** Of `$(>f ! a)` bash makes `! a >f`, and reads that again; so with the options of `time`. */
function assertNotMoved({ word, isQuoted }: ReadWord): void {
  const literal = literalOf(word);
  if (literal !== undefined && !isQuoted && (isReservedWord(literal) || literal.startsWith("-"))) {
    throw new Unreadable(`${literal} behind a redirection`);
  }
}

function add(
  text: ShellText,
  words: readonly Word[],
  assignments: readonly string[],
  { redirects, input }: Redirections,
): void {
  const { findings, fedBy } = text;
  if (findings.commands.length >= shellCommandsMax)
    throw new Unreadable("it has too many commands");
  const fed = input ?? (fedBy.length > 0 ? { kind: "pipe" as const } : undefined);
  const { depth, shell } = text;
  const isWrapper = false;
  findings.commands.push({
    words,
    assignments,
    redirects,
    input: fed,
    fedBy,
    isWrapper,
    depth,
    shell,
  });
}
