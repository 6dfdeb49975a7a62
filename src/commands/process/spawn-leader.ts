import { loadLimitMarks } from "./limit-mark.ts";
import type { OutputSink } from "./output-pipe.ts";
import { ownerVariable } from "./owner-mark.ts";

export interface CommandSpec {
  /** Program and arguments; the program is found on the PATH of `env`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Gets stdout and stderr as one stream of bytes, in the order in which they were written. */
  readonly onOutput: OutputSink;
  /** The program's input on descriptor 3, at most 4 KiB; absent = none. */
  readonly data?: Uint8Array | undefined;
}

/** How a process ended: one of the two is set. */
export interface CommandExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

type Stream = "ignore" | "pipe" | number;

/** The settings with which a program is started. */
export interface LeaderSpec extends Pick<CommandSpec, "argv" | "cwd" | "env"> {
  /** Arguments are passed on as they are, and the program's own name in quotes (Windows, batch files). */
  readonly isVerbatim?: boolean;
}

/** Starts a program that leads a process group (and session) of its own and has its owner mark twice. @throws as the system does */
export function spawnLeader(
  { argv, cwd, env, isVerbatim = false }: LeaderSpec,
  stdio: [Stream, Stream, Stream, ...number[]],
  onExit: (how: CommandExit) => void,
): Bun.Subprocess {
  const start = (): Bun.Subprocess =>
    Bun.spawn([...argv], {
      cwd,
      env: { ...env },
      stdio,
      detached: process.platform !== "win32",
      windowsHide: true,
      ...(isVerbatim && { windowsVerbatimArguments: true, argv0: `"${argv[0] ?? ""}"` }),
      onExit: (_child, exitCode, signal) => onExit({ exitCode, signal: signalName(signal) }),
    });
  const mark = env[ownerVariable];
  const marks = mark === undefined ? undefined : loadLimitMarks();
  return mark === undefined || marks === undefined ? start() : marks.startWith(mark, start);
}

function signalName(signal: unknown): NodeJS.Signals | null {
  return typeof signal === "string" ? (signal as NodeJS.Signals) : null;
}
