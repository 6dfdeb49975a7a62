import { shellDepthMax } from "../../../base/limits.ts";

/**
 * A word of a command, as far as its text determines it: `pieces` are in their order, and between two of
 * them there may be anything. A word of one piece that is not `isMany` is exactly that text.
 */
export interface Word {
  readonly pieces: readonly string[];
  /** The shell may make none or several words of it: expansions without quotes, globs, braces. */
  readonly isMany: boolean;
}

export interface Redirect {
  readonly kind: "read" | "write" | "duplicate";
  readonly target: Word;
}

/** The input of a command, when its text determines it. */
export type Input =
  /** A here-document or here-string; undefined when it is not known before the shell runs. */
  { readonly kind: "text"; readonly text: string | undefined } | { readonly kind: "pipe" };

/** One program or builtin that may run, its name first. Empty words: only assignments or redirections. */
export interface SimpleCommand {
  readonly words: readonly Word[];
  /** Names of the variables that are set for it, or by it. */
  readonly assignments: readonly string[];
  readonly redirects: readonly Redirect[];
  readonly input: Input | undefined;
  /** Names of the programs before it in its pipeline, as far as they are known. */
  readonly fedBy: readonly string[];
  /** It does nothing but start another command, which is listed too. */
  readonly isWrapper: boolean;
}

/** The shell that reads a text: `posix` is a shell with less syntax than bash, such as dash; `other` is any unknown one. */
export type ShellKind = "bash" | "posix" | "other";

/** The kind of a shell by the name of its program. */
export function shellKindOf(name: string): ShellKind {
  if (name === "bash" || name === "rbash") return "bash";
  return /^(?:sh|dash|ash|ksh|mksh)$/.test(name) ? "posix" : "other";
}

/** All that a text may run, and why there may be more than that. */
export interface ShellReading {
  readonly commands: readonly SimpleCommand[];
  /** The unknown parts, one phrase each; empty = the commands are complete. */
  readonly unknowns: readonly string[];
}

/** The text of a word that is always the same; undefined for all others. */
export function literalOf(word: Word | undefined): string | undefined {
  return word?.pieces.length === 1 && !word.isMany ? word.pieces[0] : undefined;
}

/** The last part of a path, as programs are called by it. */
export function baseNameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Why a text cannot be read; never leaves this folder. `message` is a phrase such as "a quote without end". */
export class Unreadable extends Error {}

/** A command as it is found; commands that it starts in its turn are looked for when the whole text is read. */
export interface FoundCommand extends SimpleCommand {
  isWrapper: boolean;
  /** A shell reads it as a file of commands, which has the programs that it starts. */
  readonly isFile?: boolean;
  readonly depth: number;
  /** The shell of its text, and of texts that it runs, if it is a builtin. */
  readonly shell: ShellKind;
}

/** The state shared by texts that are found in each other: `bash -c '…'`, backquotes, here-documents. */
export interface Findings {
  readonly homeDir: string;
  readonly commands: FoundCommand[];
  readonly unknowns: Set<string>;
  /** Characters that may still be read: texts in texts are read again. */
  charsLeft: number;
  /** Looks at a place that may still be taken: the measure of the work. */
  stepsLeft: number;
}

/** A here-document whose body begins after the next newline. */
export interface AwaitedDocument {
  readonly delimiter: string;
  readonly isLiteral: boolean;
  readonly stripsTabs: boolean;
  /** Takes the body; undefined when the shell computes it. */
  readonly take: (body: string | undefined) => void;
}

/** One text of commands with the next position to read, and the helpers that the readers of this folder share. */
export class ShellText {
  at = 0;
  /** Here-documents of this line. */
  awaited: AwaitedDocument[] = [];
  shell: ShellKind = "bash";
  /** Names of the programs whose output comes in at this place. */
  fedBy: readonly string[] = [];

  constructor(
    readonly text: string,
    readonly findings: Findings,
    /** How deep constructs are nested at this place. */
    public depth: number,
    /** Reads commands up to the `)` of a substitution, at `at`; given here so that readers need not know each other. */
    readonly readSubstitution: (text: ShellText) => void,
    /** Reads the whole of a text that will be run as commands. */
    readonly readAll: (text: ShellText) => void,
  ) {}

  /** Another text, one level deeper, of which parts are read here. @throws Unreadable when that is too deep or too much */
  within(inner: string): ShellText {
    this.findings.charsLeft -= inner.length;
    if (this.findings.charsLeft < 0) throw new Unreadable("texts in texts are too long");
    const depth = this.depth + 1;
    if (depth > shellDepthMax) throw new Unreadable("it is nested too deeply");
    const text = new ShellText(inner, this.findings, depth, this.readSubstitution, this.readAll);
    text.shell = this.shell;
    return text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** The character at the place, or `offset` after it; empty at the end. */
  char(offset = 0): string {
    return this.text.charAt(this.at + offset);
  }

  startsWith(prefix: string): boolean {
    return this.text.startsWith(prefix, this.at);
  }

  /** The match of the sticky `expression` here; the position does not move. @throws Unreadable when that was too often */
  match(expression: RegExp): string | undefined {
    this.#step();
    expression.lastIndex = this.at;
    return expression.exec(this.text)?.[0];
  }

  /** @throws Unreadable when the text does not go on like this */
  expect(prefix: string): void {
    if (!this.startsWith(prefix)) throw new Unreadable(`${prefix} is missing`);
    this.at += prefix.length;
  }

  /** Other shells read commands where bash does not. @throws Unreadable unless the text is for bash */
  assertBash(construct: string): void {
    if (this.shell !== "bash")
      throw new Unreadable(`${construct}, which not every shell reads alike`);
  }

  /** Runs `read` one level deeper. @throws Unreadable when that is too deep */
  deeper(read: () => void): void {
    this.depth++;
    if (this.depth > shellDepthMax) throw new Unreadable("it is nested too deeply");
    read();
    this.depth--;
  }

  /** Where the shell joins lines in the middle of an operator we would see two: nobody writes that by accident. */
  refuseSplitOperator(): void {
    if (this.char() === "\\" && this.match(/(?:\\\n)+[&|;<>()]/y) !== undefined) {
      throw new Unreadable("a line is continued within an operator");
    }
  }

  /** Moves behind the match of the sticky `expression` here; false when there is none. @throws Unreadable as `match` */
  skip(expression: RegExp): boolean {
    this.#step();
    expression.lastIndex = this.at;
    if (!expression.test(this.text)) return false;
    this.at = expression.lastIndex;
    return true;
  }

  #step(): void {
    if (--this.findings.stepsLeft < 0) throw new Unreadable("it has too many parts");
  }

  skipBlanks(): void {
    // Most often there is one blank or none: looking costs less than matching.
    if (this.char() === " ") this.at++;
    if (!" \t\\#".includes(this.char())) return;
    this.skip(/(?:[ \t]|\\\n)*/y);
    if (this.char() === "#") this.skip(/[^\n]*/y);
  }
}

/** Puts a word together while it is read. */
export class WordBuilder {
  readonly #pieces: string[] = [];
  #last = "";
  #isMany = false;
  #isOpaque = false;
  #isSplit = false;
  /** Some of it was quoted, if only by a backslash: it is neither a reserved word nor an assignment. */
  isQuoted = false;

  add(text: string): void {
    if (!this.#isOpaque) this.#last += text;
  }

  /** Any text may be here. */
  addUnknown(isMany: boolean): void {
    this.#isMany ||= isMany;
    if (this.#isOpaque || (this.#last === "" && this.#pieces.length > 0)) return;
    this.#pieces.push(this.#last);
    this.#last = "";
  }

  /** The value of an expansion without quotes: blanks in it end the word, so that nothing is known of any part. */
  addSplit(): void {
    this.#isSplit = true;
    this.addUnknown(true);
  }

  /** Nothing is known of the rest, whatever its characters: braces and sets of characters. */
  endKnown(isMany: boolean): void {
    this.addUnknown(isMany);
    this.#isOpaque = true;
  }

  get word(): Word {
    if (this.#isSplit) return { pieces: ["", ""], isMany: true };
    return { pieces: [...this.#pieces, this.#last], isMany: this.#isMany };
  }
}

export const unknownName = "a variable whose name is known only when it runs";

export const evaluated = "a text with commands that may be evaluated once more";

/** `x[$(…)]`: arithmetic runs it, also when a variable holds it. */
export function hasSubscript(text: string): boolean {
  return text.includes("[") && /\[[^\]]*(?:\$[({]|`)/.test(text);
}

/** For a value that a variable gets unchanged. Backquotes alone are often meant for people. */
export function holdsCommand(text: string): boolean {
  return text.includes("$(") || hasSubscript(text);
}
