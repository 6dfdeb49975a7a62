import { readArithmetic } from "./expansions.ts";
import { skipNewlines } from "./redirects.ts";
import {
  baseNameOf,
  literalOf,
  type ShellText,
  type SimpleCommand,
  Unreadable,
} from "./shell-text.ts";
import {
  readCondition,
  readRedirectsAfter,
  readSimple,
  reservedWordAt,
  takeReservedWord,
} from "./simple-command.ts";
import { readWord } from "./word.ts";

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
