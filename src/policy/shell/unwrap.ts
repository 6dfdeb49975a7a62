import { baseNameOf, literalOf, type ShellKind, shellKindOf, type Word } from "./shell-command.ts";
import { type FoundCommand, Unreadable } from "./shell-text.ts";
import { wrappedWords } from "./wrapped-words.ts";
import { shells, wrappers } from "./wrappers.ts";

/** Takes what a command starts in its turn. */
export interface InnerCommands {
  /** A program that it starts, with its arguments. */
  addCommand(words: readonly Word[], assignments: readonly string[]): void;
  /** A text that it runs as commands. @throws Unreadable */
  addText(text: string, shell: ShellKind): void;
}

const anyWords: Word = { pieces: ["", ""], isMany: true };

/** Looks for what `command` starts besides itself. @throws Unreadable when that cannot be known */
export function unwrap(command: FoundCommand, inner: InnerCommands): void {
  const { words } = command;
  if (words.length === 0) return;
  const name = literalOf(words[0]);
  if (name === undefined) throw new Unreadable("the name of a program is known only when it runs");
  const program = baseNameOf(name);
  const wrapper = Object.hasOwn(wrappers, program) ? wrappers[program] : undefined;
  if (wrapper !== undefined) {
    const wrapped = wrappedWords(words, wrapper);
    command.isWrapper = wrapper.isMore !== true && wrapped.words.length > 0;
    if (wrapped.words.length === 0 && wrapped.assignments.length === 0) return;
    const added = wrapper.adds === true ? withUnknown(words, wrapped.words) : wrapped.words;
    return inner.addCommand(added, wrapped.assignments);
  }
  if (shells.has(program)) return unwrapShell(command, inner);
  unwrapBuiltin(program, command, inner);
}

/** The marks of `xargs -I MARK` are anywhere in the words; without one the rest follows. */
function withUnknown(all: readonly Word[], words: readonly Word[]): readonly Word[] {
  const own = all.slice(1, all.length - words.length);
  const replaces = own.some((word) => /^(?:-[^-]*I|--replace)/.test(word.pieces[0] ?? ""));
  if (!replaces) return [...words, anyWords];
  return words.map((word, index) =>
    index === 0 && literalOf(word) !== undefined ? word : anyWords,
  );
}

function unwrapBuiltin(
  program: string,
  { words, shell }: FoundCommand,
  inner: InnerCommands,
): void {
  switch (program) {
    case "eval": {
      const literals = words.slice(1).map(literalOf);
      if (!literals.every((literal) => literal !== undefined))
        throw new Unreadable("eval of what is known only when it runs");
      return inner.addText(literals.join(" "), shell);
    }
    case "trap": {
      const action = words.length > 2 ? literalOf(words[1]) : "-";
      if (action === undefined) throw new Unreadable("a trap that is known only when it runs");
      if (!action.startsWith("-")) inner.addText(action, shell);
      return;
    }
    case "find":
      return unwrapFind(words, inner);
    case "alias":
      if (words.length > 1) throw new Unreadable("an alias");
      return;
    case "shopt":
      if (words.slice(1).some((word) => literalOf(word) !== "extglob" && !isOption(word))) {
        throw new Unreadable("shopt, which changes how commands are read");
      }
      return;
    case "hash":
    case "enable":
      if (words.length > 1) throw new Unreadable(`${program}, which changes what names stand for`);
  }
}

function isOption(word: Word): boolean {
  return literalOf(word)?.startsWith("-") === true;
}

const findActions: ReadonlySet<string | undefined> = new Set([
  "-exec",
  "-execdir",
  "-ok",
  "-okdir",
]);

function unwrapFind(words: readonly Word[], inner: InnerCommands): void {
  for (let at = 1; at < words.length; at++) {
    if (!findActions.has(literalOf(words[at]))) continue;
    const end = words.findIndex(
      (word, index) => index > at && isEndOfAction(word, words[index - 1]),
    );
    if (end < 0) throw new Unreadable("an action of find without end");
    const action = words.slice(at + 1, end);
    inner.addCommand(
      action.map((word) => (hasPath(word) ? anyWords : word)),
      [],
    );
    at = end;
  }
}

function isEndOfAction(word: Word, before: Word | undefined): boolean {
  const literal = literalOf(word);
  return literal === ";" || (literal === "+" && literalOf(before) === "{}");
}

function hasPath(word: Word): boolean {
  return word.pieces.some((piece) => piece.includes("{}"));
}

/** Options of shells with a value of their own. */
const shellValued: ReadonlySet<string> = new Set([
  "-o",
  "+o",
  "-O",
  "+O",
  "--rcfile",
  "--init-file",
]);

function unwrapShell(command: FoundCommand, inner: InnerCommands): void {
  const { words, input } = command;
  let takesText = false;
  for (let at = 1; at < words.length; at++) {
    const word = literalOf(words[at]);
    if (word === undefined)
      throw new Unreadable("a shell whose arguments are known only when it runs");
    if (word === "--help" || word === "--version") return;
    if (shellValued.has(word)) at++;
    else if (/^[-+]/.test(word) && word !== "--" && word !== "-") {
      takesText ||= /^-[A-Za-z]*c/.test(word);
      if (/^-[A-Za-z]*s/.test(word)) break;
    } else
      return runsText(
        words.slice(word === "-" || word === "--" ? at + 1 : at),
        takesText,
        command,
        inner,
      );
  }
  if (input?.kind !== "text" || input.text === undefined || takesText) {
    throw new Unreadable("a shell that reads its commands from elsewhere");
  }
  command.isWrapper = true;
  inner.addText(input.text, kindOf(command));
}

function runsText(
  words: readonly Word[],
  takesText: boolean,
  command: FoundCommand,
  inner: InnerCommands,
): void {
  // A file of commands: a program like any other, whose name is in the arguments.
  if (!takesText && words.length > 0) return;
  const text = literalOf(words[0]);
  if (text === undefined)
    throw new Unreadable("a shell whose commands are known only when it runs");
  command.isWrapper = true;
  inner.addText(text, kindOf(command));
}

function kindOf({ words }: FoundCommand): ShellKind {
  return shellKindOf(baseNameOf(literalOf(words[0]) ?? ""));
}
