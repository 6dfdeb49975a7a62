import { readShell } from "../../../../src/calls/policy/shell/read-shell.ts";
import type { SimpleCommand, Word } from "../../../../src/calls/policy/shell/shell-text.ts";

/** `…` stands for what is not known of a word, `*` behind it for "none or several". */
function wordText({ pieces, isMany }: Word): string {
  return pieces.join("…") + (isMany ? "*" : "");
}

function commandText({ words, redirects, assignments, isWrapper }: SimpleCommand): string {
  const parts = [
    ...assignments.map((name) => `${name}=`),
    ...words.map(wordText),
    ...redirects.map(({ kind, target }) => `${kind}:${wordText(target)}`),
  ];
  return (isWrapper ? "wrapper " : "") + parts.join(" ");
}

/** What a text runs, one line for each program, with the home folder `/home/me`; what is not known begins with `?`. */
export function reading(text: string): string[] {
  const { commands, unknowns } = readShell(text, "/home/me");
  return [...commands.map(commandText), ...unknowns.map((unknown) => `? ${unknown}`)];
}
