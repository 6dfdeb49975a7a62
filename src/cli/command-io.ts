/** The world as a command sees it: tests give another one, so that no process is needed. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory that the process was started in; home where that is gone. */
  readonly cwd: string;
  readonly homeDir: string;
  readonly executableDir: string;
  /** Instead of the folder in which whoever runs the machine has rules. The product has none. */
  readonly machineDir?: string | undefined;
  /** The sign that a scorpiox-code server started this process; undefined when there is none. */
  readonly startedByServer?: (() => Promise<string | undefined>) | undefined;
  readonly stdinIsTerminal: boolean;
  /** What is piped in; it can be read once. */
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** Aborted by Ctrl-C. Whoever asks for it takes over what Ctrl-C does; until then it ends the process. */
  readonly interrupted: AbortSignal;
  /** True when Ctrl-C has aborted it. */
  readonly wasInterrupted: boolean;
}

export interface TextOutput {
  readonly isTerminal: boolean;
  /** Returns when the text is handed over; a reader that has gone away is no error. */
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
  /** By Ctrl-C: as shells say it of what a signal has ended. */
  interrupted: 130,
} as const;
