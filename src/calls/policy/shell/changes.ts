import { baseNameOf, type FoundCommand, literalOf, Unreadable, type Word } from "./shell-text.ts";

/** Variables that make a shell run more than its text, or read it in another way. */
const decisive =
  /\b(?:BASH_ENV|BASH_ALIASES|BASH_CMDS|BASH_FUNC_\w+|BASH_COMPAT|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS[04]|FCEDIT|POSIXLY_CORRECT)\b/;

/** Why the words of a text may mean something else than they say; undefined when nothing of it is seen. */
export function changeIn(text: string): string | undefined {
  const name = decisive.exec(text)?.[0];
  return name === undefined ? undefined : `${name}, which changes what is run`;
}

/** The same of one command: the variables that it sets, and texts that it evaluates once more. */
export function changeBy({ words, assignments }: FoundCommand): string | undefined {
  const name = baseNameOf(literalOf(words[0]) ?? "");
  const rest = words.slice(1);
  const isHome = ({ pieces }: Word): boolean => /^HOME(?:\+?=|$)/.test(pieces[0] ?? "");
  if (assignments.includes("HOME") || (setting.has(name) && rest.some(isHome)))
    return "HOME is changed";
  const values = setting.has(name) ? rest.flatMap((word) => literalOf(word) ?? []) : [];
  const hidden = [...assignments, ...values].map(changeIn).find((change) => change !== undefined);
  if (hidden !== undefined) return hidden;
  const isNameKnown = !setting.has(name) || setsKnownNames(name, rest);
  if (!isNameKnown) return unknownName;
  const isEvaluated =
    evaluating.has(name) && rest.some(({ pieces }) => hasSubscript(pieces.join("")));
  const isAssigned = setting.has(name) && rest.some(({ pieces }) => holdsCommand(pieces.join("")));
  return isEvaluated || isAssigned ? evaluated : undefined;
}

export const unknownName = "a variable whose name is known only when it runs";

/** Whether all variables that a builtin sets are named in the text: any may be one that runs something. */
function setsKnownNames(builtin: string, words: readonly Word[]): boolean {
  if (builtin === "printf") return setsKnownByPrintf(words);
  let at = 0;
  for (; at < words.length; at++) {
    const word = literalOf(words[at]);
    if (word === undefined || !/^[-+]./.test(word)) break;
    // Of a reference to a variable the value is a name.
    if (declaring.has(builtin) && word.includes("n") && builtin !== "export") return false;
    if (valued[builtin]?.test(word) === true) at++;
  }
  // The first word of getopts lists the options.
  const named = words.slice(builtin === "getopts" ? at + 1 : at);
  return named.slice(0, builtin === "getopts" ? 1 : undefined).every(isNamed);
}

/** `-v NAME` can only be in front; a word that may be it is taken for it. */
function setsKnownByPrintf([first, second]: readonly Word[]): boolean {
  const option = literalOf(first);
  if (option === "-v") return second === undefined || isNamed(second);
  if (option !== undefined || first === undefined) return true;
  const [known = ""] = first.pieces;
  if (known.startsWith("-v")) return false;
  return known !== "" || (!first.isMany && (second === undefined || isNamed(second)));
}

function isNamed(word: Word): boolean {
  return literalOf(word) !== undefined || /^[A-Za-z_][\w[\]]*\+?=/.test(word.pieces[0] ?? "");
}

const declaring: ReadonlySet<string> = new Set("declare typeset local readonly export".split(" "));

/** Options whose value is the next word. */
const valued: Readonly<Record<string, RegExp>> = {
  read: /^-[a-zA-Z]*[dinNptu]$/,
  mapfile: /^-[a-zA-Z]*[dnOsuCc]$/,
  readarray: /^-[a-zA-Z]*[dnOsuCc]$/,
};

export const evaluated = "a text with commands that may be evaluated once more";

/** `x[$(…)]`: arithmetic runs it, also when a variable holds it. */
export function hasSubscript(text: string): boolean {
  return text.includes("[") && /\[[^\]]*(?:\$[({]|`)/.test(text);
}

/** For a value that a variable gets unchanged. Backquotes alone are often meant for people. */
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

/** Of `set` and of shells: letters that leave alone how commands are read. Not `-H`, `-k` and `-i`. */
const letters = "abefhlmnprstuvxBCDEPTcoO";

/** For `-o` and `-O`: names that do so. Not history, histexpand, keyword, posix, expand_aliases. */
const names: Readonly<Record<"-o" | "-O", ReadonlySet<string>>> = {
  "-o": new Set(
    [
      "allexport braceexpand errexit errtrace functrace hashall ignoreeof monitor noclobber noexec noglob nolog",
      "notify nounset onecmd physical pipefail privileged verbose xtrace emacs vi",
    ].flatMap((all) => all.split(" ")),
  ),
  "-O": new Set(
    [
      "extglob globstar nullglob dotglob nocaseglob failglob lastpipe inherit_errexit huponexit checkwinsize",
      "cmdhist histappend sourcepath progcomp",
    ].flatMap((all) => all.split(" ")),
  ),
};

const longOptions: ReadonlySet<string> = new Set(
  "--login --noprofile --norc --noediting --verbose --restricted".split(" "),
);

/** `set`, behind whose options there are words of any kind. @throws Unreadable */
export function assertUsualSet(words: readonly Word[]): void {
  for (let at = 1; at < words.length; at++) {
    const word = literalOf(words[at]);
    if (word === undefined) throw changesReading("set");
    if (word === "-" || word === "--" || !/^[-+]/.test(word)) return;
    at += assertUsualOptions(words, at);
  }
}

/**
 * The word `at` of a shell or of `set`, which begins with a dash or a plus.
 * @returns how many words behind it are its values
 * @throws Unreadable when it changes how commands are read, or may do so
 */
export function assertUsualOptions(words: readonly Word[], at: number): number {
  const option = literalOf(words[at]) ?? "";
  if (option.startsWith("--")) {
    if (!longOptions.has(option)) throw changesReading(option);
    return 0;
  }
  let values = 0;
  for (const letter of option.slice(1)) {
    if (!letters.includes(letter)) throw changesReading(option);
    if (letter !== "o" && letter !== "O") continue;
    values++;
    const value = words[at + values];
    // Without a value it lists them.
    if (value !== undefined) assertUsualOption(value, `-${letter}`);
  }
  return values;
}

/** @throws Unreadable */
export function assertUsualOption(word: Word, kind: "-o" | "-O"): void {
  const name = literalOf(word);
  if (name === undefined || !names[kind].has(name)) throw changesReading(name ?? "an option");
}

function changesReading(what: string): Unreadable {
  return new Unreadable(`${what}, which changes how commands are read`);
}
