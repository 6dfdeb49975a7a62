import { delimiter } from "node:path";

import { startTimer, type Timer } from "../../base/cancellation.ts";
import { upstreamInstallLookMs, upstreamInstallQuietMs } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { groupTicks } from "../../commands/process/processes.ts";
import { ConnectionError } from "../connect/connection.ts";
import type { ProcessLaunch, UpstreamProcess } from "../process/upstream-process.ts";
import type { Fetched } from "./install-file.ts";
import type { RunnerCommand } from "./runner-command.ts";

/** The result of a runner that was started to fetch packages. */
export interface FetchEnd {
  readonly isDone: boolean;
  /** The end of its stdout. */
  readonly output: string;
  /** The last lines of its stderr. */
  readonly errors: readonly string[];
}

/** Bytes of stdout that are kept; a printed environment has a few thousand. */
const outputBytesMax = 256 * 1024;

/**
 * Waits for a runner to end, however long that takes; ends it only after a long time without progress.
 * @throws AppError as `start` does; ConnectionError `timeout`
 */
export async function runRunner(
  start: (launch: ProcessLaunch) => Promise<UpstreamProcess>,
  launch: ProcessLaunch,
  { fetchedWhenSaid }: Pick<RunnerCommand, "fetchedWhenSaid">,
  signal: AbortSignal,
): Promise<FetchEnd> {
  await using process = await start(launch);
  process.endInput();
  const stop = (): void => void process[Symbol.asyncDispose]();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  using watch = new ProgressWatch(process, stop);
  try {
    const [output, end] = await Promise.all([watch.read(), process.ended]);
    signal.throwIfAborted();
    if (watch.isStuck) {
      const minutes = Math.round(upstreamInstallQuietMs / 60_000);
      throw new ConnectionError("timeout", `It did nothing for ${minutes} minutes and was ended.`);
    }
    const errors = process.stderrTail();
    const said = `${output}\n${errors.join("\n")}`;
    const isDone =
      end.exitCode === 0 || (fetchedWhenSaid !== undefined && said.includes(fetchedWhenSaid));
    return { isDone, output, errors };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Notices when a process writes nothing and, on systems that report its CPU time, uses none. */
class ProgressWatch implements Disposable {
  readonly #process: UpstreamProcess;
  readonly #stop: () => void;
  #timer: Timer | undefined;
  #ticks: number | undefined;
  #progressAt = performance.now();
  isStuck = false;

  constructor(process: UpstreamProcess, stop: () => void) {
    this.#process = process;
    this.#stop = stop;
    this.#plan();
  }

  [Symbol.dispose](): void {
    this.#timer?.stop();
  }

  /** Never rejects: the process's end reports failures. */
  async read(): Promise<string> {
    const reader = this.#process.output.getReader();
    let kept = Buffer.alloc(0);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || value === undefined) break;
        this.#progressAt = performance.now();
        kept = Buffer.concat([kept, value]).subarray(-outputBytesMax);
      }
    } catch {
      // The pipe was closed.
    }
    return kept.toString();
  }

  #plan(): void {
    this.#timer = startTimer(upstreamInstallLookMs, () => this.#look());
  }

  #look(): void {
    const ticks = groupTicks(this.#process.pid);
    if (ticks !== undefined && ticks !== this.#ticks) this.#progressAt = performance.now();
    this.#ticks = ticks;
    const lastAt = Math.max(this.#progressAt, this.#process.lastErrorAt?.() ?? 0);
    this.isStuck = performance.now() - lastAt >= upstreamInstallQuietMs;
    if (this.isStuck) this.#stop();
    else this.#plan();
  }
}

/** Variables that npm sets for the programs that it runs. */
const kept = /^(?:npm_\w+|INIT_CWD|NODE|COLOR|EDITOR)$/;

/** Variables that belong to the fetching run alone. */
const fetchOnly = new Set(["npm_config_call", "npm_config_loglevel", "npm_lifecycle_script"]);

/** Variables that may hold credentials; npm does not pass its own on, and a variable that looks like one is dropped. */
const secret = /_auth|token|password|secret/i;

/**
 * The variables and folders that a runner adds for its programs, from the environment that it printed; nothing when it
 * printed none.
 */
export function readRunnerEnvironment(output: string): Pick<Fetched, "env" | "path"> {
  const variables = readVariables(output);
  if (variables.length === 0) return {};
  const env = variables.filter(
    ([name]) => kept.test(name) && !fetchOnly.has(name) && !secret.test(name),
  );
  const folders = variables.find(([name]) => name.toUpperCase() === "PATH")?.[1].split(delimiter);
  // npm puts its own folders first; the one with node-gyp is the last of them.
  const last = folders?.findIndex((folder) => /[\\/]node-gyp-bin[\\/]?$/.test(folder)) ?? -1;
  return {
    env: Object.fromEntries(env),
    ...(last >= 0 && folders !== undefined ? { path: folders.slice(0, last + 1) } : {}),
  };
}

/** JSON, or lines of `NAME=value` as a Windows shell prints them. */
function readVariables(output: string): readonly (readonly [string, string])[] {
  const json = output.slice(output.indexOf("{")).trim();
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) {
      return Object.entries(value).flatMap(([name, text]) =>
        typeof text === "string" ? [[name, text] as const] : [],
      );
    }
  } catch {
    // Not JSON: read lines.
  }
  return output.split(/\r?\n/).flatMap((line) => {
    const at = line.indexOf("=");
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
  });
}

/** Lines of a runner's stderr that go into an error. */
const linesMax = 5;

/** The error for a failed fetch: the reason and the advice. */
export function fetchFailure(
  { runner, packages }: Pick<RunnerCommand, "runner" | "packages">,
  errors: readonly string[],
): ConnectionError {
  const what = packages.join(" ");
  const broken = brokenFolder(errors);
  if (broken !== undefined) {
    const text =
      `${runner} could not install ${what}: its folder ${broken} is broken, usually because an earlier download was ` +
      `interrupted. Remove that folder (rm -rf ${broken}) and try again.`;
    return new ConnectionError("unreachable", text);
  }
  const said = errors.filter((line) => !isChatter(line)).slice(-linesMax);
  const why = said.length === 0 ? "it gave no reason." : `\n${said.join("\n")}`;
  return new ConnectionError("unreachable", `${runner} could not install ${what}: ${why}`);
}

/** Whether npm prints such a line for every request, or to name its log file. */
function isChatter(line: string): boolean {
  return /^npm (?:http|warn|verb|info|notice)|A complete log of this run|^npm error\s*$/i.test(
    line,
  );
}

/** The folder of `_npx` in which an earlier run left a half-written file or another obstacle. */
function brokenFolder(errors: readonly string[]): string | undefined {
  const text = errors.join("\n");
  if (!/EJSONPARSE|ENOTEMPTY|ECOMPROMISED/.test(text)) return undefined;
  return /((?:[A-Za-z]:)?[\\/][^\n"']*?[\\/]_npx[\\/][0-9a-f]{16})/.exec(text)?.[1];
}
