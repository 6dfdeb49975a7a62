/** The local error family: string codes that never cross the wire. Wire codes are in `protocol/json-rpc.ts`. */

/** Why a local operation failed. Each code names one class of cause, not one place. */
export type AppErrorCode =
  /** A flag, argument or value that the caller wrote is not acceptable. */
  | "usage"
  /** The named thing (task, tool, profile, key, file) does not exist. */
  | "not_found"
  /** A configuration file or key cannot be used as written. */
  | "config"
  /** The operating system refused: permissions, full disk, missing program. */
  | "system"
  /** A limit of `base/limits.ts` or `base/upstream-limits.ts` was reached. */
  | "limit"
  /** A rule forbids it: an address that must not be reached, a file that must not be read. */
  | "refused"
  /** The caller cancelled, or the owner is shutting down. */
  | "cancelled"
  /** The other side, or this system, does not have what the operation needs. */
  | "unsupported"
  /** A Worker died or outlived its deadline. */
  | "worker";

/** An expected failure with a message fit for a person: what happened, to which value, what to do next. */
export class AppError extends Error {
  override readonly name = "AppError";

  constructor(
    readonly code: AppErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Nobody wants the result of the call any more. */
export function cancelledError(): AppError {
  return new AppError("cancelled", "The call was cancelled.");
}

/** An error as it crosses threads and processes. */
export interface Failure {
  readonly code: AppErrorCode;
  readonly message: string;
}

/** Anything thrown, for another thread or process. An unexpected error becomes a `system` failure. */
export function failureOf(error: unknown): Failure {
  return { code: error instanceof AppError ? error.code : "system", message: messageOf(error) };
}

/** The message of anything thrown, without a stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a system error (`ENOENT`, `EACCES`, …), or undefined. */
export function systemCodeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
