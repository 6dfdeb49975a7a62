import { AppError, messageOf } from "../../base/errors.ts";
import { ConnectionError } from "../connect/connection.ts";
import type { ConnectionFailure, ConnectionState } from "./connection-machine.ts";

/** There is no connection; the message ends a sentence. */
export class ConnectionDown extends Error {
  override readonly name = "LinkDown";

  constructor(
    message: string,
    readonly as: "backoff" | "failed" | "needs_auth" | "installing" | "stopped",
    readonly retryInMs: number | undefined,
  ) {
    super(message);
  }
}

/** The state of a missing connection. */
export function downAs(state: ConnectionState): ConnectionDown["as"] {
  return state.kind === "down" ? state.as : "stopped";
}

/** Classifies the failure of a start. */
export function connectionFailureOf(error: unknown): ConnectionFailure {
  const reason = messageOf(error);
  if (!(error instanceof ConnectionError)) return { kind: "passing", reason };
  if (error.failure === "needs_auth") return { kind: "needs_auth", reason };
  if (error.failure === "refused") return { kind: "final", reason };
  const { retryAfterMs } = error;
  return { kind: "passing", reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** The result of `promise`. @throws AppError `cancelled` as soon as `signal` aborts */
export async function orCancelled<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const cancelled = Promise.withResolvers<never>();
  const onAbort = (): void =>
    cancelled.reject(new AppError("cancelled", "The call was cancelled."));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, cancelled.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
