import { shellDepthMax } from "../../../base/limits.ts";
import type { ShellKind, SimpleCommand } from "./shell-command.ts";

/** Why a text cannot be read; never leaves this folder. `message` is a phrase such as "a quote without end". */
export class Unreadable extends Error {}

/** A command as it is found; what it starts in its turn is looked for when the whole text is read. */
export interface FoundCommand extends SimpleCommand {
  isWrapper: boolean;
  /** A shell reads it as a file of commands: what it starts is in there. */
  readonly isFile?: boolean;
  readonly depth: number;
  /** What its text is for; texts that it runs are too, if it is a builtin. */
  readonly shell: ShellKind;
}

/** What is shared by the texts that are found in each other: `bash -c '…'`, backquotes, here-documents. */
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
  /** Told the body; undefined when the shell computes it. */
  readonly take: (body: string | undefined) => void;
}

/** One text of commands with the place that is read next, and what the readers of this folder share. */
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

  /** What the sticky `expression` matches here; the place does not move. @throws Unreadable when that was too often */
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

  /** Other shells make commands of what bash does not. @throws Unreadable unless the text is for bash */
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

  /** Moves behind what the sticky `expression` matches here; false when it does not. @throws Unreadable as `match` */
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
