import { evaluated, hasSubscript } from "./changes.ts";
import type { Word } from "./shell-command.ts";
import { type ShellText, Unreadable } from "./shell-text.ts";
import { readWord } from "./word.ts";

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
