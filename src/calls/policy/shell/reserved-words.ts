import type { ShellText } from "./shell-text.ts";

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
