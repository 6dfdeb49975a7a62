import type { AppErrorCode } from "../../base/errors.ts";
import type { ProcessLaunch } from "./upstream-process.ts";

/** Where the ends of a process's pipes are. */
type PipePlace =
  /** Numbers of this process, to be duplicated by the Worker before it says `process-opened`. */
  | {
      readonly kind: "descriptors";
      readonly input: number;
      readonly output: number;
      readonly errors: number;
    }
  /** With the main thread, which passes on what they carry. */
  | { readonly kind: "relayed" };

/** Of processes; `process` is the number that the Worker gave it. */
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
  /** Nothing is left of it. */
  | { readonly kind: "process-gone"; readonly process: number }
  /** Relayed: a piece in base64, the end without one. */
  | {
      readonly kind: "process-output";
      readonly process: number;
      readonly pipe: "output" | "errors";
      readonly base64?: string;
    }
  /** Relayed: the process has taken what was written; `failure` when it does not read any more. */
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
