import { formatDuration } from "../base/cut-text.ts";
import { escapeName } from "../base/unsafe-characters.ts";
import type { Installing } from "../upstream/server-state.ts";
import type { CommandContext, ServerWatch } from "./command.ts";

/** Work that is over sooner shows nothing. */
const quietMs = 300;
/** How often the line of a terminal is drawn. */
const drawMs = 100;
/** How often a line is printed where there is no terminal. */
const sayMs = 15_000;

const drawnFrames = Array.from({ length: 8 }, (_, at) =>
  String.fromCharCode(0x28_00 + (0xff ^ (1 << at))),
);
const plainFrames = ["|", "/", "-", "\\"];

/** The line of a progress at a time. */
export interface ProgressLine {
  readonly text: string;
  /** Since the work began. */
  readonly ms: number;
  readonly columns: number;
  readonly isDrawn: boolean;
}

/** The line as it is drawn on a terminal: a sign that moves, the text, the time, in one line. */
export function progressLine({ text, ms, columns, isDrawn }: ProgressLine): string {
  const frames = isDrawn ? drawnFrames : plainFrames;
  const frame = frames[Math.floor(ms / drawMs) % frames.length] ?? "";
  const seconds = Math.floor(ms / 1_000);
  const time = ` ${seconds < 60 ? `${seconds} s` : formatDuration(ms)}`;
  const ellipsis = isDrawn ? "…" : "~";
  // The last column stays empty: some terminals begin a line after it.
  const room = columns - 1 - Bun.stringWidth(`${frame} ${time}`);
  let shown = escapeName(text);
  if (Bun.stringWidth(shown) > room) {
    while (shown !== "" && Bun.stringWidth(shown) >= room) shown = shown.slice(0, -1);
    shown = `${shown.toWellFormed()}${ellipsis}`;
  }
  return `${frame} ${shown}${time}`;
}

/** The text of work on several servers at the same time: those that have not ended, and a package that is being fetched. */
export class ServerProgress implements ServerWatch {
  readonly #verb: string;
  readonly #left: Set<string>;
  readonly #all: number;
  readonly #installing = new Map<string, Installing>();

  /** @param verb what is done with each: `Starting` */
  constructor(verb: string, names: Iterable<string>) {
    this.#verb = verb;
    this.#left = new Set(names);
    this.#all = this.#left.size;
  }

  readonly onInstalling = (server: string, installing: Installing): void => {
    this.#installing.set(server, installing);
  };

  readonly onEnd = (server: string): void => {
    this.#left.delete(server);
  };

  readonly text = (): string => {
    const fetched = [...this.#installing].find(([server]) => this.#left.has(server));
    const count = this.#all === 1 ? "" : ` (${this.#all - this.#left.size} of ${this.#all} done)`;
    if (fetched === undefined) return `${this.#verb} ${[...this.#left].join(", ")}${count}`;
    const [server, { what, runner }] = fetched;
    return `${server}: ${runner} fetches ${what}${count}`;
  };
}

/**
 * Shows that work goes on until it ends: by a line that is drawn again and again on a terminal, elsewhere by a line from time to
 * time; with `--json` not at all.
 * @param text the present state, as one line without its end: `Starting memory`
 */
export async function withProgress<Result>(
  { args, io, print }: Pick<CommandContext, "args" | "io" | "print">,
  text: () => string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (args.has("json")) return work();
  const begin = performance.now();
  const isLive = io.stderr.isTerminal && io.env.TERM !== "dumb";
  const { isDrawn } = print.look;
  const show = (): void => {
    const ms = performance.now() - begin;
    if (!isLive) print.note(`${text()} (${formatDuration(Math.round(ms))} so far)`);
    else if (ms >= quietMs) {
      const columns = io.stderr.columns ?? 80;
      print.status(progressLine({ text: text(), ms, columns, isDrawn }));
    }
  };
  const timer = setInterval(show, isLive ? drawMs : sayMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    print.status("");
  }
}
