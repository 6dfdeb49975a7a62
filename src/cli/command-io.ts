import type { Environment } from "../base/values.ts";

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
