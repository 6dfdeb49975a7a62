import {
  baseNameOf,
  type FoundCommand,
  literalOf,
  type ShellKind,
  shellKindOf,
  Unreadable,
  type Word,
} from "./shell-text.ts";
import { loader, shells, starters, wrappedWords, wrappers } from "./wrappers.ts";

/** Receives the commands that a command starts in its turn. */
export interface InnerCommands {
  /** A program that it starts, with its arguments. */
  addCommand(words: readonly Word[], assignments: readonly string[]): void;
  /** A file of commands that it reads, with its arguments. */
  addFile(words: readonly Word[]): void;
  /** A text that it runs as commands. @throws Unreadable */
  addText(text: string, shell: ShellKind): void;
}

const anyWords: Word = { pieces: ["", ""], isMany: true };

/** Looks for the commands that `command` starts besides itself. @throws Unreadable when that cannot be known */
export function unwrap(command: FoundCommand, inner: InnerCommands): void {
  const { words } = command;
  if (words.length === 0 || command.isFile === true) return;
  const name = literalOf(words[0]);
  if (name === undefined) throw new Unreadable("the name of a program is known only when it runs");
  const program = baseNameOf(name);
  if (program === "exec" && words.length === 1 && command.input?.kind === "text") {
    throw new Unreadable("exec, which changes what a shell reads");
  }
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

/** Looks for the commands that a builtin starts, or a program that is read like one. */
type Unwrap = (command: FoundCommand, inner: InnerCommands, program: string) => void;

const builtins: ReadonlyMap<string, Unwrap> = new Map<string, Unwrap>([
  ["eval", unwrapEval],
  ["trap", unwrapTrap],
  [".", unwrapSource],
  ["source", unwrapSource],
  ["find", ({ words }, inner) => unwrapFind(words, inner)],
  ["alias", alone(() => new Unreadable("an alias"))],
  ["set", ({ words }) => assertUsualSet(words)],
  ["shopt", unwrapShopt],
  ["history", alone(() => new Unreadable("history, which changes how lines are read"))],
  ["ssh-agent", unwrapAgent],
  ["hash", alone(renames)],
  ["enable", alone(renames)],
  ["mapfile", unwrapMapfile],
  ["readarray", unwrapMapfile],
  ["fc", alone(startsMore)],
  ["compgen", alone(startsMore)],
  ["complete", alone(startsMore)],
  ["jobs", alone(startsMore)],
]);

function unwrapBuiltin(program: string, command: FoundCommand, inner: InnerCommands): void {
  const unwrapIt = builtins.get(program);
  if (unwrapIt !== undefined) unwrapIt(command, inner, program);
  else if (starters.has(program) || loader.test(program)) throw startsMore(program);
}

/** A builtin that is harmless only without arguments. */
function alone(fault: (program: string) => Unreadable): Unwrap {
  return ({ words }, _inner, program) => {
    if (words.length > 1) throw fault(program);
  };
}

function unwrapEval({ words, shell }: FoundCommand, inner: InnerCommands): void {
  const literals = operandsOf(words).map(literalOf);
  if (!literals.every((literal) => literal !== undefined))
    throw new Unreadable("eval of text that is known only when it runs");
  inner.addText(literals.join(" "), shell);
}

function unwrapTrap({ words, shell }: FoundCommand, inner: InnerCommands): void {
  const operands = operandsOf(words);
  const action = operands.length > 1 ? literalOf(operands[0]) : "-";
  if (action === undefined) throw new Unreadable("a trap that is known only when it runs");
  if (!action.startsWith("-")) inner.addText(action, shell);
}

function unwrapSource(command: FoundCommand, inner: InnerCommands): void {
  runsFile(operandsOf(command.words), command, command.shell, inner);
}

function unwrapShopt({ words }: FoundCommand): void {
  for (const word of words.slice(1)) if (!isOption(word)) assertUsualOption(word, "-O");
}

function unwrapAgent({ words }: FoundCommand, _inner: InnerCommands, program: string): void {
  if (words.slice(1).some((word) => !isOption(word))) throw startsMore(program);
}

function unwrapMapfile({ words }: FoundCommand, _inner: InnerCommands, program: string): void {
  if (words.some((word) => /^-[^-]*C/.test(literalOf(word) ?? "-C"))) throw startsMore(program);
}

function renames(program: string): Unreadable {
  return new Unreadable(`${program}, which changes what names stand for`);
}

function startsMore(program: string): Unreadable {
  return new Unreadable(`${program}, which starts others in its own way`);
}

/** The arguments of a builtin without options. */
function operandsOf(words: readonly Word[]): readonly Word[] {
  return words.slice(literalOf(words[1]) === "--" ? 2 : 1);
}

/** A file of commands is a program like any other, whose name is in the arguments, if it is a file. */
function runsFile(
  words: readonly Word[],
  command: FoundCommand,
  shell: ShellKind,
  inner: InnerCommands,
): void {
  if (words.length === 0) return;
  const path = literalOf(words[0]);
  if (path === undefined || path.startsWith("-"))
    throw new Unreadable("a file of commands that is known only when it runs");
  if (!/^\/(?:dev|proc)\//.test(path)) inner.addFile(words);
  if (isInput.test(path)) runsInput(command, shell, inner);
}

/** Paths that may be the input of the shell, from any folder. */
const isInput = /(?:^|\/)(?:dev|proc|fd|self)\/|(?:^|\/)(?:stdin|\d+)$/;

function runsInput(command: FoundCommand, shell: ShellKind, inner: InnerCommands): void {
  const { input } = command;
  if (input?.kind !== "text" || input.text === undefined)
    throw new Unreadable("a shell that reads its commands from elsewhere");
  inner.addText(input.text, shell);
}

function isOption(word: Word): boolean {
  return literalOf(word)?.startsWith("-") === true;
}

const findActions = ["-exec", "-execdir", "-ok", "-okdir"];

function unwrapFind(words: readonly Word[], inner: InnerCommands): void {
  for (let at = 1; at < words.length; at++) {
    if (mayBeAction(words, at)) throw new Unreadable("find with words known only when it runs");
    if (!findActions.includes(literalOf(words[at]) ?? "")) continue;
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

/** Several words may be an action with all that belongs to it; one needs an end behind it. */
function mayBeAction(words: readonly Word[], at: number): boolean {
  const word = words[at];
  if (word === undefined || literalOf(word) !== undefined) return false;
  if (!findActions.some((action) => mayBe(word, action))) return false;
  return word.isMany || words.slice(at + 1).some((end) => mayBe(end, ";") || mayBe(end, "+"));
}

function mayBe({ pieces }: Word, text: string): boolean {
  const [first = ""] = pieces;
  if (pieces.length === 1) return first === text;
  return text.startsWith(first) && text.endsWith(pieces.at(-1) ?? "");
}

function isEndOfAction(word: Word, before: Word | undefined): boolean {
  const literal = literalOf(word);
  return literal === ";" || (literal === "+" && literalOf(before) === "{}");
}

function hasPath(word: Word): boolean {
  return word.pieces.some((piece) => piece.includes("{}"));
}

function unwrapShell(command: FoundCommand, inner: InnerCommands): void {
  const { words } = command;
  let takesText = false;
  let readsInput = false;
  let at = 1;
  for (; at < words.length; at++) {
    const word = literalOf(words[at]);
    if (word === undefined)
      throw new Unreadable("a shell whose arguments are known only when it runs");
    if (word === "--help" || word === "--version") return;
    if (word === "-" || word === "--") {
      at++;
      break;
    }
    if (!/^[-+]/.test(word)) break;
    if (/^--?(?:rcfile|init-file)/.test(word))
      throw new Unreadable("a shell that reads its commands from elsewhere");
    assertUsualOptions(words, at);
    if (word.startsWith("--")) continue;
    takesText ||= word.includes("c");
    readsInput ||= word.includes("s");
    // Each of these has a value of its own.
    at += word.replaceAll(/[^oO]/g, "").length;
  }
  const operand = words[at];
  if (takesText) return runsText(operand, command, inner);
  if (operand !== undefined && !readsInput)
    return runsFile(words.slice(at), command, kindOf(command), inner);
  runsInput(command, kindOf(command), inner);
  command.isWrapper = true;
}

function runsText(word: Word | undefined, command: FoundCommand, inner: InnerCommands): void {
  const text = literalOf(word);
  if (text === undefined)
    throw new Unreadable("a shell whose commands are known only when it runs");
  command.isWrapper = true;
  inner.addText(text, kindOf(command));
}

function kindOf({ words }: FoundCommand): ShellKind {
  return shellKindOf(baseNameOf(literalOf(words[0]) ?? ""));
}

/** Option letters of `set` and of shells that do not change how commands are read. Not `-H`, `-k` and `-i`. */
const usualLetters = "abefhlmnprstuvxBCDEPTcoO";

/** For `-o` and `-O`: names that do so. Not history, histexpand, keyword, posix, expand_aliases. */
const usualNames: Readonly<Record<"-o" | "-O", ReadonlySet<string>>> = {
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
function assertUsualSet(words: readonly Word[]): void {
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
function assertUsualOptions(words: readonly Word[], at: number): number {
  const option = literalOf(words[at]) ?? "";
  if (option.startsWith("--")) {
    if (!longOptions.has(option)) throw changesReading(option);
    return 0;
  }
  let values = 0;
  for (const letter of option.slice(1)) {
    if (!usualLetters.includes(letter)) throw changesReading(option);
    if (letter !== "o" && letter !== "O") continue;
    values++;
    const value = words[at + values];
    // Without a value it lists them.
    if (value !== undefined) assertUsualOption(value, `-${letter}`);
  }
  return values;
}

/** @throws Unreadable */
function assertUsualOption(word: Word, kind: "-o" | "-O"): void {
  const name = literalOf(word);
  if (name === undefined || !usualNames[kind].has(name)) throw changesReading(name ?? "an option");
}

function changesReading(what: string): Unreadable {
  return new Unreadable(`${what}, which changes how commands are read`);
}
