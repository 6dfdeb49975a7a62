import { baseNameOf, literalOf, type Word } from "./shell-command.ts";
import type { FoundCommand } from "./shell-text.ts";

/** Variables that make a shell run more than its text, or read it in another way. */
const decisive =
  /\b(?:BASH_ENV|BASH_ALIASES|BASH_CMDS|BASH_FUNC_\w+|PROMPT_COMMAND|PS[04]|FCEDIT|POSIXLY_CORRECT)\b/;

/** Why the words of a text may mean something else than they say; undefined when nothing of it is seen. */
export function changeIn(text: string): string | undefined {
  const name = decisive.exec(text)?.[0];
  return name === undefined ? undefined : `${name}, which changes what is run`;
}

/** The same of one command: what it sets, and texts that it evaluates once more. */
export function changeBy({ words, assignments }: FoundCommand): string | undefined {
  const name = baseNameOf(literalOf(words[0]) ?? "");
  const rest = words.slice(1);
  const isHome = ({ pieces }: Word): boolean => /^HOME(?:\+?=|$)/.test(pieces[0] ?? "");
  if (assignments.includes("HOME") || (setting.has(name) && rest.some(isHome)))
    return "HOME is changed";
  const hidden = assignments.map(changeIn).find((change) => change !== undefined);
  if (hidden !== undefined) return hidden;
  const isEvaluated =
    evaluating.has(name) && rest.some(({ pieces }) => hasSubscript(pieces.join("")));
  const isAssigned = setting.has(name) && rest.some(({ pieces }) => holdsCommand(pieces.join("")));
  return isEvaluated || isAssigned ? evaluated : undefined;
}

export const evaluated = "a text with commands that may be evaluated once more";

/** `x[$(…)]`: arithmetic runs it, also when a variable holds it. */
export function hasSubscript(text: string): boolean {
  return text.includes("[") && /\[[^\]]*(?:\$[({]|`)/.test(text);
}

/** For a value that a variable gets as it stands. Backquotes alone are often meant for people. */
export function holdsCommand(text: string): boolean {
  return text.includes("$(") || hasSubscript(text);
}

const setting: ReadonlySet<string> = new Set(
  "export declare typeset local readonly read printf mapfile readarray getopts".split(" "),
);

/** Builtins that take names of variables, or numbers. */
const evaluating: ReadonlySet<string> = new Set(
  "let test [ read printf unset wait getopts mapfile readarray".split(" "),
);
