import { shellCharsMax, shellStepsMax } from "../../../base/limits.ts";
import { changeBy, changeIn } from "./changes.ts";
import { readList } from "./commands.ts";
import { readHereDocuments } from "./redirects.ts";
import {
  type Findings,
  type FoundCommand,
  type ShellKind,
  type ShellReading,
  ShellText,
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
