import { textOf } from "./messages.ts";
import type { ServerMessage } from "./server.ts";

/** What texts of results say, for tests: most tools answer in words alone. */

/** The id of the background task that a result speaks of. */
export function taskIdOf(message: ServerMessage): number {
  const [, id] = /\b(?:task_id: |background task )(\d+)/.exec(textOf(message)) ?? [];
  if (id === undefined) throw new Error(`no task in ${JSON.stringify(message)}`);
  return Number(id);
}

export interface ToldRead {
  /** Whole lines: that the last one is not ended is not told. */
  readonly output: string;
  readonly state: string;
  readonly exitCode: number | null;
}

const states: readonly (readonly [RegExp, string])[] = [
  [/^running for/, "running"],
  [/^exited with code 0/, "exited"],
  [/^failed/, "failed"],
  [/^killed/, "killed"],
  [/^timed out/, "timed_out"],
  [/^lost/, "lost"],
];

/** What ReadBgOutput and KillBgTask tell. */
export function readOf(message: ServerMessage): ToldRead {
  return readIn(textOf(message));
}

export function readIn(text: string): ToldRead {
  const lines = text.split("\n");
  const last = lines.findLastIndex((line) => /^Task \d+( had already ended)?: /.test(line));
  const end = (lines[last] ?? "").replace(/^Task \d+( had already ended)?: /, "");
  const [, state = "unknown"] = states.find(([pattern]) => pattern.test(end)) ?? [];
  const printed = lines.slice(0, last).filter((line) => !/^(A|No) line matched `until`/.test(line));
  const isNothing = printed.length === 0 || printed.join("\n") === "(no new output)";
  const [, code] = /exit(?:ed with)? code (\d+)/.exec(end) ?? [];
  return {
    output: isNothing ? "" : `${printed.join("\n")}\n`,
    state,
    exitCode: code === undefined ? null : Number(code),
  };
}

/** Where the whole of an output is that was cut. */
export function wholeOf(message: ServerMessage): string | undefined {
  return /the whole output is in (\S+)/.exec(textOf(message))?.[1];
}

export interface ToldPage {
  readonly title: string;
  readonly finalUrl: string;
  readonly via: string;
  /** Without what is empty at its end. */
  readonly content: string;
  /** Where it goes on; undefined at the end. */
  readonly next: number | undefined;
}

/** What ReadDocs tells. */
export function pageOf(message: ServerMessage): ToldPage {
  const text = textOf(message);
  const [, title = "", finalUrl = "", origin = ""] =
    /^# (.*)\n(\S+)(?: \((.*)\))?\n/.exec(text) ?? [];
  const [, content = ""] =
    /\n\[untrusted content .*\]\n\n([^]*)\n\n\[end of untrusted content/.exec(text) ?? [];
  const [, next] = /call again with start=(\d+)\]$/.exec(text) ?? [];
  const via = /from the cache/.test(origin)
    ? "cache"
    : /browser/.test(origin)
      ? "browser"
      : "fetch";
  return { title, finalUrl, via, content, next: next === undefined ? undefined : Number(next) };
}
