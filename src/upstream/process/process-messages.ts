import type { AppErrorCode } from "../../base/errors.ts";
import type { ProcessLaunch } from "./upstream-process.ts";

/** How the Worker reaches a process's pipes. */
type PipePlace =
  /** Descriptors of this process, which the Worker duplicates before it sends `process-opened`. */
  | {
      readonly kind: "descriptors";
      readonly input: number;
      readonly output: number;
      readonly errors: number;
    }
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
