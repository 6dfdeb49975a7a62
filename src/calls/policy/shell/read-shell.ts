import { shellCharsMax, shellStepsMax } from "../../../base/limits.ts";
import { declaring, readList } from "./commands.ts";
import { readHereDocuments } from "./words-and-redirections.ts";
import {
  baseNameOf,
  evaluated,
  type Findings,
  type FoundCommand,
  hasSubscript,
  holdsCommand,
  literalOf,
  type ShellKind,
  type ShellReading,
  ShellText,
  unknownName,
  Unreadable,
  type Word,
} from "./shell-text.ts";
import { unwrap } from "./unwrap.ts";

/**
 * The programs that the text of a command may run, as bash would read it: every program in pipes, lists, substitutions,
 * functions, here-documents of shells, and behind `env`, `xargs`, `bash -c` and their like. Never throws; takes time in
 * proportion to the text.
 * @param homeDir the value of `~` and `$HOME`
 * @param shell the shell that will read it
 */
export function readShell(
  source: string,
  homeDir: string,
  shell: ShellKind = "bash",
): ShellReading {
  const findings: Findings = {
    homeDir,
    commands: [],
    unknowns: new Set(),
    // Texts in texts are read again: a usual `bash -c` is one level.
    charsLeft: 4 * shellCharsMax,
    stepsLeft: shellStepsMax,
  };
  const text = new ShellText(source, findings, 0, readSubstitution, readAll);
  text.shell = shell;
  attempt(findings, () => readWhole(text));
  // Grows while it is looked at.
  for (const command of findings.commands) {
    attempt(findings, () => unwrapFound(command, text));
    note(findings, changeBy(command));
  }
  return { commands: findings.commands, unknowns: [...findings.unknowns] };
}

function assertReadable(shell: ShellKind): void {
  if (shell === "other") throw new Unreadable("commands of a shell that is not known");
}

function readWhole(text: ShellText): void {
  assertReadable(text.shell);
  if (text.text.length > shellCharsMax) {
    throw new Unreadable(`it is longer than ${shellCharsMax} characters`);
  }
  if (text.text.includes("\0")) throw new Unreadable("a NUL character");
  readAll(text);
}

function attempt(findings: Findings, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    findings.unknowns.add(error.message);
  }
}

function note({ unknowns }: Findings, unknown: string | undefined): void {
  if (unknown !== undefined) unknowns.add(unknown);
}

function readAll(text: ShellText): void {
  note(text.findings, changeIn(text.text));
  readList(text, [""], true);
  // The end of the text ends them too.
  readHereDocuments(text);
}

function readSubstitution(text: ShellText): void {
  const { awaited, at, fedBy } = text;
  text.awaited = [];
  text.fedBy = [];
  readList(text, [")"], true);
  const isSplit = awaited.length > 0 && text.text.slice(at, text.at).includes("\n");
  if (isSplit || text.awaited.length > 0) {
    throw new Unreadable("a here-document whose body is not where its substitution is");
  }
  text.awaited = awaited;
  text.fedBy = fedBy;
  text.at++;
}

function unwrapFound(command: FoundCommand, outer: ShellText): void {
  const { findings } = outer;
  const { input, fedBy, redirects, shell } = command;
  unwrap(command, {
    addCommand(words: readonly Word[], assignments: readonly string[]) {
      const depth = command.depth + 1;
      const all = [...command.assignments, ...assignments];
      const inner = {
        words,
        assignments: all,
        redirects,
        input,
        fedBy,
        isWrapper: false,
        depth,
        shell,
      };
      if (inner.words.length > 0 && depth <= wrappersDeepMax) findings.commands.push(inner);
      else if (inner.words.length > 0)
        throw new Unreadable("too many programs that start each other");
    },
    addFile(words: readonly Word[]) {
      const depth = command.depth + 1;
      findings.commands.push({ ...fileCommand, words, depth, shell });
    },
    addText(text, kind) {
      outer.depth = command.depth;
      const inner = outer.within(text);
      inner.shell = kind;
      assertReadable(kind);
      inner.fedBy = fedBy;
      readAll(inner);
    },
  });
}

/** A file read by a shell has its redirections and variables from the shell, which rules judge already. */
const fileCommand = {
  assignments: [],
  redirects: [],
  input: undefined,
  fedBy: [],
  isWrapper: true,
  isFile: true,
};

/** `env env env …`: nobody needs more. */
const wrappersDeepMax = 12;

/** Variables that make a shell run more than its text, or read it in another way. */
const decisive =
  /\b(?:BASH_ENV|BASH_ALIASES|BASH_CMDS|BASH_FUNC_\w+|BASH_COMPAT|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS[04]|FCEDIT|POSIXLY_CORRECT)\b/;

/** Why the words of a text may mean something else than they say; undefined when nothing of it is seen. */
function changeIn(text: string): string | undefined {
  const name = decisive.exec(text)?.[0];
  return name === undefined ? undefined : `${name}, which changes what is run`;
}

/** Why one command may change the meaning of others: the variables that it sets, and texts that it evaluates once more. */
function changeBy({ words, assignments }: FoundCommand): string | undefined {
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

/** Options whose value is the next word. */
const valued: Readonly<Record<string, RegExp>> = {
  read: /^-[a-zA-Z]*[dinNptu]$/,
  mapfile: /^-[a-zA-Z]*[dnOsuCc]$/,
  readarray: /^-[a-zA-Z]*[dnOsuCc]$/,
};

const setting: ReadonlySet<string> = new Set(
  "export declare typeset local readonly read printf mapfile readarray getopts".split(" "),
);

/** Builtins that take names of variables, or numbers. */
const evaluating: ReadonlySet<string> = new Set(
  "let test [ read printf unset wait getopts mapfile readarray".split(" "),
);
