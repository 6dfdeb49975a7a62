import { evaluated, hasSubscript } from "./changes.ts";
import { type ShellText, Unreadable, type Word } from "./shell-text.ts";
import { readWord } from "./word.ts";

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

export function isReservedWord(word: string): boolean {
  return reservedWords.has(word);
}

/** `[[ … ]]`, behind the brackets that open it: only what is expanded in it runs. @throws Unreadable */
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
