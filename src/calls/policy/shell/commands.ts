import { shellCommandsMax } from "../../../base/limits.ts";
import { readArithmetic } from "./expansions.ts";
import {
  baseNameOf,
  evaluated,
  hasSubscript,
  holdsCommand,
  literalOf,
  type ShellText,
  type SimpleCommand,
  Unreadable,
  type Word,
} from "./shell-text.ts";
import {
  isAtRedirect,
  readRedirect,
  readWord,
  type ReadWord,
  type Redirections,
  skipNewlines,
} from "./words-and-redirections.ts";

const caseEnds = [";;", ";;&", ";&", "esac"];

/**
 * Commands up to one of `ends`, which is left to be read; `""` is the end of the text.
 * @throws Unreadable
 */
export function readList(text: ShellText, ends: readonly string[], mayBeEmpty = false): string {
  for (let isEmpty = true; ; isEmpty = false) {
    skipNewlines(text);
    const end = endAt(text, ends);
    if (end !== undefined) {
      if (isEmpty && !mayBeEmpty) throw new Unreadable(`nothing before ${end}`);
      return end;
    }
    readAndOr(text);
    text.skipBlanks();
    if (text.match(/[;&](?![;&])/y) !== undefined) {
      text.at++;
      text.refuseSplitOperator();
    } else if (text.char() !== "\n" && endAt(text, ends) === undefined) {
      throw new Unreadable(`${JSON.stringify(text.char())} is not expected here`);
    }
  }
}

function endAt(text: ShellText, ends: readonly string[]): string | undefined {
  if (text.isAtEnd) {
    if (ends.includes("")) return "";
    throw new Unreadable(`${ends[0]} is missing`);
  }
  const isOperator = ");".includes(text.char());
  const token = isOperator ? text.match(/\)|;;&|;;|;&/y) : reservedWordAt(text);
  return token !== undefined && ends.includes(token) ? token : undefined;
}

function readAndOr(text: ShellText): void {
  for (;;) {
    readPipeline(text);
    text.skipBlanks();
    if (!text.startsWith("&&") && !text.startsWith("||")) return;
    text.at += 2;
    text.refuseSplitOperator();
    skipNewlines(text);
  }
}

function readPipeline(text: ShellText): void {
  const outer = text.fedBy;
  if (!skipPipelineWords(text)) return;
  for (;;) {
    const begin = text.findings.commands.length;
    readCommand(text);
    text.skipBlanks();
    if (text.char() !== "|" || !text.skip(/\|&?(?!\|)/y)) break;
    text.refuseSplitOperator();
    skipNewlines(text);
    const names = [...text.fedBy, ...namesOf(text.findings.commands.slice(begin))];
    text.fedBy = names.slice(0, feedersMax);
  }
  text.fedBy = outer;
}

/** `!` and `time`; false when nothing comes after them. */
function skipPipelineWords(text: ShellText): boolean {
  let isBare = false;
  for (;;) {
    text.skipBlanks();
    if (takeReservedWord(text, "!")) isBare = true;
    else if (takeReservedWord(text, "time")) {
      isBare = true;
      skipTimeOptions(text);
    } else break;
  }
  return !isBare || !(text.isAtEnd || "\n;)".includes(text.char()));
}

/** `-p` and `--` behind `time`. @throws Unreadable when a continued line is in one of them */
function skipTimeOptions(text: ShellText): void {
  for (const option of ["-p", "--"]) {
    text.skipBlanks();
    if (text.match(/-(?:p|-)?\\\n/y) !== undefined) {
      throw new Unreadable("a line is continued within an option of time");
    }
    if (text.match(/-[p-](?![^ \t\n;&|()<>])/y) === option) text.at += option.length;
  }
}

/** Every program of a pipe has them all; nobody needs more. */
const feedersMax = 50;

/** An unknown name is given as `""`. */
function namesOf(commands: readonly SimpleCommand[]): string[] {
  return commands.flatMap(({ words }) =>
    words.length === 0 ? [] : [baseNameOf(literalOf(words[0]) ?? "")],
  );
}

function readCommand(text: ShellText): void {
  text.skipBlanks();
  if (!readCompound(text)) readSimple(text, readFunctionBody);
}

/** False when there is none. */
function readCompound(text: ShellText): boolean {
  const word = text.char() === "(" ? "(" : reservedWordAt(text);
  if (word === undefined) return false;
  text.at += word.length;
  text.deeper(() => readCompoundRest(text, word));
  if (word !== "function" && word !== "coproc") readRedirectsAfter(text);
  return true;
}

function readCompoundRest(text: ShellText, word: string): void {
  switch (word) {
    case "(":
      if (text.char() === "(") {
        text.assertBash("(( ))");
        text.at++;
        return readArithmetic(text, false);
      }
      return readBlock(text, ")");
    case "{":
      return readBlock(text, "}");
    case "if":
      return readIf(text);
    case "while":
    case "until":
      readBlock(text, "do");
      return readBlock(text, "done");
    case "for":
    case "select":
      return readFor(text);
    case "case":
      return readCase(text);
    case "[[":
      return readCondition(text);
    case "function":
      text.skipBlanks();
      readWord(text);
      return readFunctionBody(text);
    case "coproc":
      text.skipBlanks();
      text.at +=
        text.match(
          /[A-Za-z_]\w*[ \t]+(?=\(|(?:[{]|if|for|while|until|case|select|\[\[)(?![^ \t\n;&|()<>]))/y,
        )?.length ?? 0;
      return readCommand(text);
    default:
      throw new Unreadable(`${word} is not expected here`);
  }
}

/** Commands and the word that ends them. */
function readBlock(text: ShellText, end: string): void {
  readList(text, [end]);
  text.at += end.length;
}

function readIf(text: ShellText): void {
  readBlock(text, "then");
  for (;;) {
    const end = readList(text, ["fi", "else", "elif"]);
    text.at += end.length;
    if (end === "fi") return;
    readBlock(text, end === "else" ? "fi" : "then");
    if (end === "else") return;
  }
}

function readFor(text: ShellText): void {
  text.skipBlanks();
  if (text.startsWith("((")) {
    text.assertBash("(( ))");
    text.at += 2;
    readArithmetic(text, true);
  } else {
    readWord(text);
    skipNewlines(text);
    if (text.match(/in(?![^ \t\n;&|()<>])/y) !== undefined) {
      text.at += 2;
      for (text.skipBlanks(); !text.isAtEnd && !";\n".includes(text.char()); text.skipBlanks()) {
        readWord(text);
      }
    }
  }
  text.skipBlanks();
  if (text.char() === ";") text.at++;
  skipNewlines(text);
  if (takeReservedWord(text, "{")) return readBlock(text, "}");
  if (!takeReservedWord(text, "do")) throw new Unreadable("do is missing");
  readBlock(text, "done");
}

function readCase(text: ShellText): void {
  text.skipBlanks();
  readWord(text);
  skipNewlines(text);
  if (text.match(/in(?![^ \t\n;&|()<>])/y) === undefined) throw new Unreadable("in is missing");
  text.at += 2;
  for (;;) {
    skipNewlines(text);
    if (takeReservedWord(text, "esac")) return;
    if (text.char() === "(") text.at++;
    readPatterns(text);
    const end = readList(text, caseEnds, true);
    text.at += end.length;
    if (end === "esac") return;
  }
}

function readPatterns(text: ShellText): void {
  for (;;) {
    text.skipBlanks();
    readWord(text);
    text.skipBlanks();
    if (text.char() !== "|") break;
    text.at++;
  }
  text.expect(")");
}

/** `()`, if present, and the body of the function: code that defines one may call it. */
function readFunctionBody(text: ShellText): void {
  text.skipBlanks();
  text.skip(/\([ \t]*\)/y);
  skipNewlines(text);
  if (!readCompound(text)) throw new Unreadable("a function without a body");
}

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
function reservedWordAt(text: ShellText): string | undefined {
  return firstCharacters.has(text.char()) ? text.match(expression) : undefined;
}

/** True when it was there; the place is behind it then. */
function takeReservedWord(text: ShellText, word: string): boolean {
  if (reservedWordAt(text) !== word) return false;
  text.at += word.length;
  return true;
}

function isReservedWord(word: string): boolean {
  return reservedWords.has(word);
}

/** `[[ … ]]`, behind the brackets that open it: only the expansions in it run. @throws Unreadable */
function readCondition(text: ShellText): void {
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
function readRedirectsAfter(text: ShellText): void {
  const found: Redirections = { redirects: [], input: undefined };
  for (text.skipBlanks(); isAtRedirect(text); text.skipBlanks()) readRedirect(text, found);
  if (found.redirects.length > 0) add(text, [], [], found);
}

/**
 * A program with its arguments, or assignments, or the definition of a function.
 * @param readFunctionBody reads the body after its name
 * @throws Unreadable
 */
function readSimple(text: ShellText, readFunctionBody: (text: ShellText) => void): void {
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
export const declaring: ReadonlySet<string> = new Set(
  "declare typeset local readonly export".split(" "),
);

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

/** Rejects what bash moves before a redirection: it makes `! a >f` of `$(>f ! a)` and reads that again; so with options of `time`. */
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
