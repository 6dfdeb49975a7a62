import type { Environment } from "../base/values.ts";
import { product } from "../base/product.ts";
import { escapeJson, escapeName, escapeUnsafe } from "../base/unsafe-characters.ts";

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
  /** By Ctrl-C: the code that shells give for a signal. */
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

  constructor(io: CommandIo) {
    this.#io = io;
  }

  line(text: string): void {
    this.#io.stdout.write(`${escapeUnsafe(text)}\n`);
  }

  /** One line of a list: no name or reason in it begins a line of its own. */
  row(text: string): void {
    this.line(escapeName(text));
  }

  json(value: unknown): void {
    this.#io.stdout.write(`${escapeJson(JSON.stringify(value, undefined, 2))}\n`);
  }

  /** Text that a reader may want byte for byte: escaped for a terminal only. Ends with a newline. */
  content(text: string): void {
    const shown = this.#io.stdout.isTerminal ? escapeUnsafe(text) : text;
    this.#io.stdout.write(shown.endsWith("\n") ? shown : `${shown}\n`);
  }

  note(text: string): void {
    this.#talk("", text);
  }

  warning(text: string): void {
    this.#talk(this.#paint("33", "warning: "), text);
  }

  error(text: string): void {
    this.#talk(this.#paint("31", "error: "), text);
  }

  #talk(prefix: string, text: string): void {
    this.#io.stderr.write(`${product.name}: ${prefix}${escapeUnsafe(text)}\n`);
  }

  #paint(colour: string, text: string): string {
    // NO_COLOR counts when it is there and not empty (no-color.org).
    const isColoured = this.#io.stderr.isTerminal && !this.#io.env.NO_COLOR;
    return isColoured ? `\u001b[${colour}m${text}\u001b[0m` : text;
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
