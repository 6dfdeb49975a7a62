/** A started server and its pipes, as its connection sees it. The process belongs to the main thread. */
export interface UpstreamProcess extends AsyncDisposable {
  readonly pid: number;
  /** What it writes to stdout, in chunks; ends with the pipe. Read at the pace of the reader. */
  readonly output: ByteSource;
  /** Resolves when there is room for more. @throws when the process does not read any more */
  write(text: string): Promise<void>;
  /** Closes its stdin. */
  endInput(): void;
  /** How it ended. Never rejects. */
  readonly ended: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
  /** The last lines that it wrote to stderr. */
  stderrTail(): readonly string[];
  /** When it last wrote to stderr, by `performance.now`; undefined when it has not. */
  lastErrorAt?(): number | undefined;
  /** stdin closed, TERM to its group, KILL: resolves when nothing is left of it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What is started, with all variables filled in. */
export interface ProcessLaunch {
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly inheritEnv: readonly string[];
  readonly cwd: string;
  /** Folders that are put before all others into its PATH. */
  readonly path?: readonly string[];
  /** Takes secrets out of what it writes to stderr, before that is kept anywhere. Stays in the Worker. */
  readonly redact?: (text: string) => string;
}

/** The part of a stream's reader that is used. */
export interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** What is read once, by one reader: a stream, or less than that. */
export interface ByteSource {
  getReader(): ByteReader;
}

/** The three pipes of a server, as the Worker uses them. */
export interface ServerPipes {
  readonly output: ByteSource;
  readonly errors: ReadableStream<Uint8Array>;
  /** Resolves when the pipe has taken it. Called again only after that. @throws when nobody reads any more */
  write(text: string): Promise<void>;
  endInput(): void;
  /** Lets go of all of them. Idempotent. */
  release(): void;
}
