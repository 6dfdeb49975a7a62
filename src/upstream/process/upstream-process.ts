import type { AppErrorCode } from "../../base/errors.ts";
import type { ByteReader, Environment } from "../../base/values.ts";

/** A started server and its pipes, as its connection sees it. The process belongs to the main thread. */
export interface UpstreamProcess extends AsyncDisposable {
  readonly pid: number;
  /** Its stdout in chunks; ends with the pipe. Read at the pace of the reader. */
  readonly output: ByteSource;
  /** Resolves when there is room for more; undefined when there is already. @throws when the process no longer reads */
  write(text: string): Promise<void> | undefined;
  /** Closes its stdin. */
  endInput(): void;
  /** Resolves with its exit code and signal. Never rejects. */
  readonly ended: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
  /** The last lines of its stderr. */
  stderrTail(): readonly string[];
  /** Time of its last output to stderr, by `performance.now`; undefined without any. */
  lastErrorAt?(): number | undefined;
  /** Closes stdin, then sends TERM to its group, then KILL. Resolves when its family is gone. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A program to start, with all variables filled in. */
export interface ProcessLaunch {
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly inheritEnv: readonly string[];
  readonly cwd: string;
  /** The environment of the client whose server it is; absent: that of this process. */
  readonly base?: Environment;
  /** Folders to put first in its PATH. */
  readonly path?: readonly string[];
  /** Removes secrets from its stderr before that is kept anywhere. Stays in the Worker. */
  readonly redact?: (text: string) => string;
}

/** A source of bytes for one reader: a stream, or only its reader. */
export interface ByteSource {
  getReader(): ByteReader;
}

/** The three pipes of a server, as the Worker uses them. */
export interface ServerPipes {
  readonly output: ByteSource;
  readonly errors: ReadableStream<Uint8Array>;
  /**
   * Resolves when the pipe has taken the text, undefined when it has already; only then call it again.
   * @throws when the process no longer reads
   */
  write(text: string): Promise<void> | undefined;
  endInput(): void;
  /** Closes all of them. Idempotent. */
  release(): void;
}

/** Descriptors of this process that lead to a server. */
export interface ServerDescriptors {
  readonly input: number;
  readonly output: number;
  readonly errors: number;
}

/** How the Worker reaches a process's pipes. */
type PipePlace =
  /** Descriptors of this process, which the Worker duplicates before it sends `process-opened`. */
  | ({ readonly kind: "descriptors" } & ServerDescriptors)
  /** The main thread has them and relays their bytes. */
  | { readonly kind: "relayed" };

/** Messages to the Worker about processes; `process` is the number that the Worker assigned. */
export type ProcessReport =
  | {
      readonly kind: "process-started";
      readonly process: number;
      readonly pid: number;
      readonly pipes: PipePlace;
    }
  | {
      readonly kind: "process-refused";
      readonly process: number;
      readonly code: AppErrorCode;
      readonly message: string;
    }
  | {
      readonly kind: "process-ended";
      readonly process: number;
      readonly exitCode: number | null;
      readonly signal: string | null;
    }
  /** Its whole process family is gone. */
  | { readonly kind: "process-gone"; readonly process: number }
  /** Relayed: a chunk in base64; without `base64`, the end of the output. */
  | {
      readonly kind: "process-output";
      readonly process: number;
      readonly pipe: "output" | "errors";
      readonly base64?: string;
    }
  /** Relayed: the process has read the input; `failure` when it no longer reads. */
  | { readonly kind: "process-input-taken"; readonly process: number; readonly failure?: string };

export type ProcessRequest =
  | {
      readonly kind: "start-process";
      readonly process: number;
      readonly launch: Omit<ProcessLaunch, "redact">;
    }
  /** The Worker has its own copies of the descriptors. */
  | { readonly kind: "process-opened"; readonly process: number }
  | { readonly kind: "stop-process"; readonly process: number }
  | { readonly kind: "process-input"; readonly process: number; readonly text: string }
  | { readonly kind: "end-process-input"; readonly process: number }
  | {
      readonly kind: "process-output-taken";
      readonly process: number;
      readonly pipe: "output" | "errors";
    };
