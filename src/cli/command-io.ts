import { orAborted } from "../base/cancellation.ts";
import { AppError } from "../base/errors.ts";
import type { Environment } from "../base/values.ts";
import { product } from "../base/product.ts";
import { escapeJson, escapeName, escapeUnsafe } from "../base/unsafe-characters.ts";
import { type Look, lookOf, type Mark } from "./look.ts";

/** The world as a command sees it: tests give another one, so that no process is needed. */
export interface CommandIo {
  readonly env: Environment;
  /** The directory that the process was started in; home where that is gone. */
  readonly cwd: string;
  readonly homeDir: string;
  readonly executableDir: string;
  /** Replaces the administrator's rules folder in tests. Undefined in the product. */
  readonly machineDir?: string | undefined;
  /** The sign that a scorpiox-code server started this process; undefined when there is none. */
  readonly startedByServer?: (() => Promise<string | undefined>) | undefined;
  readonly stdinIsTerminal: boolean;
  /** Standard input; it can be read once. */
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** Aborted by Ctrl-C. Reading it takes over Ctrl-C, which ends the process until then. */
  readonly interrupted: AbortSignal;
  /** True when Ctrl-C has aborted it. */
  readonly wasInterrupted: boolean;
}

/**
 * The result of `promise`, unless Ctrl-C comes first. @param interrupted `CommandIo.interrupted`
 * @throws {AppError} `cancelled`
 */
export function orInterrupted<T>(promise: Promise<T>, interrupted: AbortSignal): Promise<T> {
  return orAborted(promise, interrupted, () => {
    return new AppError("cancelled", "This was interrupted.");
  });
}

export interface TextOutput {
  readonly isTerminal: boolean;
  /** Characters in a line of the terminal; absent where there is none, or none that is shown. */
  readonly columns?: number | undefined;
  /** Returns when the text is handed over; a closed pipe is not an error. */
  write(text: string): void;
}

/** The exit codes of every command. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  needsApproval: 4,
  changed: 10,
  /** Something is missing, or new. */
  missing: 11,
  unreachable: 12,
  /** Ended by Ctrl-C: the code that shells give for a signal. */
  interrupted: 130,
} as const;

/** The flags and arguments of one command line. */
export class ParsedArguments {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(
    values: ReadonlyMap<string, readonly string[]>,
    readonly positionals: readonly string[],
    /** Arguments from this one on were written behind `--`. */
    readonly verbatimFrom: number = positionals.length,
  ) {
    this.#values = values;
  }

  has(flag: string): boolean {
    return this.#values.has(flag);
  }

  text(flag: string): string | undefined {
    return this.#values.get(flag)?.at(-1);
  }

  list(flag: string): readonly string[] {
    return this.#values.get(flag) ?? [];
  }
}

/** All that commands print goes through here: data to stdout, talk to stderr. */
export class Printer {
  readonly #io: CommandIo;
  #data: Look | undefined;
  #talk: Look | undefined;
  #isVerbose = false;
  #status = "";

  constructor(io: CommandIo) {
    this.#io = io;
  }

  /** How stdout looks. */
  get look(): Look {
    this.#data ??= lookOf(this.#io.stdout.isTerminal, this.#io.env);
    return this.#data;
  }

  get #talkLook(): Look {
    this.#talk ??= lookOf(this.#io.stderr.isTerminal, this.#io.env);
    return this.#talk;
  }

  line(text: string): void {
    this.#write(`${escapeUnsafe(text)}\n`);
  }

  /** A line that begins with a mark. */
  marked(mark: Mark, text: string, indent = ""): void {
    this.#write(`${indent}${this.look.mark(mark)} ${escapeUnsafe(text)}\n`);
  }

  /** A page of help: lines that begin at the left and end with a colon are headings. */
  page(text: string): void {
    const shown = escapeUnsafe(text).replaceAll(
      /^\S.*:$|^(?:Usage|Common flags [^:\n]*):/gm,
      (heading) => this.look.heading(heading),
    );
    this.#write(`${shown}\n`);
  }

  /** A line of a diff, with its colour. */
  diff(line: string): void {
    this.#write(`${this.look.diff(escapeUnsafe(line))}\n`);
  }

  /** One line of a list: no name or reason in it begins a line of its own. */
  row(text: string): void {
    this.line(escapeName(text));
  }

  json(value: unknown): void {
    this.#write(`${escapeJson(JSON.stringify(value, undefined, 2))}\n`);
  }

  /** Text that a reader may want byte for byte: escaped for a terminal only. Ends with a newline. */
  content(text: string): void {
    const shown = this.#io.stdout.isTerminal ? escapeUnsafe(text) : text;
    this.#write(shown.endsWith("\n") ? shown : `${shown}\n`);
  }

  note(text: string): void {
    this.#say("", escapeUnsafe(text));
  }

  /** A note on something that was carried out: marked on a terminal. */
  done(text: string): void {
    const mark = this.#io.stderr.isTerminal ? `${this.#talkLook.mark("good")} ` : "";
    this.#say(mark, escapeUnsafe(text));
  }

  warning(text: string): void {
    this.#say(this.#talkLook.warning("warning: "), escapeUnsafe(text));
  }

  error(text: string): void {
    this.#say(this.#talkLook.bad("error: "), escapeUnsafe(text));
  }

  /** From now on details are printed. */
  tellDetails(): void {
    this.#isVerbose = true;
  }

  /** For `--verbose`: a file, a process or a time. The caller hides secrets. */
  detail(text: string): void {
    if (this.#isVerbose) this.#say("", this.#talkLook.dim(escapeUnsafe(text)));
  }

  /** A line that the next output replaces, on a terminal: the text is one line that fits. Empty: it goes. */
  status(text: string): void {
    if (text === this.#status) return;
    this.#status = text;
    // The cursor stays in front: a text from elsewhere is written over it.
    this.#io.stderr.write(`\r\u001b[K${text === "" ? "" : `${this.#talkLook.dim(text)}\r`}`);
  }

  #write(text: string): void {
    this.status("");
    this.#io.stdout.write(text);
  }

  #say(prefix: string, text: string): void {
    this.status("");
    // A log has lines of other programs beside it; in a terminal the user has just typed the name.
    const name = this.#io.stderr.isTerminal ? "" : `${product.name}: `;
    this.#io.stderr.write(`${name}${prefix}${text}\n`);
  }
}

/** An indented table; the last column is not padded. A row is always one line. */
export function columns(table: readonly (readonly string[])[]): string[] {
  const rows = table.map((row) => row.map(escapeName));
  const widthOf = (column: number): number =>
    Math.max(0, ...rows.map((row) => (column < row.length - 1 ? (row[column] ?? "").length : 0)));
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  return rows.map((row) => `  ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join("  ")}`);
}

/** How the current offer compares with the approved or locked one. */
export type FindingKind = "changed" | "missing" | "new" | "unreachable";

/** For a command that compares: a change has priority over the rest. */
export function exitCodeOf(kinds: readonly FindingKind[]): number {
  if (kinds.includes("changed")) return exitCodes.changed;
  if (kinds.includes("missing") || kinds.includes("new")) return exitCodes.missing;
  return kinds.includes("unreachable") ? exitCodes.unreachable : exitCodes.done;
}
