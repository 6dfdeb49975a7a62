/**
 * A word of a command, as far as its text says what it will be: `pieces` stand in their order, and between two of
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

/** What the input of a command is, when its text says so. */
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

/** What reads a text: `posix` stands for shells that know less than bash, such as dash; others are not known here. */
export type ShellKind = "bash" | "posix" | "other";

/** The kind of a shell by the name of its program. */
export function shellKindOf(name: string): ShellKind {
  if (name === "bash" || name === "rbash") return "bash";
  return /^(?:sh|dash|ash|ksh|mksh)$/.test(name) ? "posix" : "other";
}

/** All that a text may run, and why there may be more than that. */
export interface ShellReading {
  readonly commands: readonly SimpleCommand[];
  /** What could not be known, one phrase each; empty = the commands are all that there is. */
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
