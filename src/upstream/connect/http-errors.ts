import type { SdkHttpError } from "@modelcontextprotocol/client";

import { messageOf } from "../../base/errors.ts";
import { upstreamRawCharsShown } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { ConnectionError } from "./connection.ts";

/** An HTTP response with an error status instead of an MCP message. */
export class StatusError extends ConnectionError {
  constructor(
    readonly status: number,
    text: string,
  ) {
    const failure = status >= 500 || status === 408 ? "unreachable" : "refused";
    super(failure, `The server answered with HTTP ${status}: ${text}`);
  }
}

/** The session was lost, and everything in it. */
export class SessionLostError extends ConnectionError {}

/** Turns an error of the library into a `ConnectionError`. */
export function readHttpError(error: unknown, isInSession: boolean): ConnectionError {
  if (error instanceof ConnectionError) return error;
  if (isHttpError(error)) return ofStatus(error, isInSession);
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof ConnectionError) return cause;
  return new ConnectionError("protocol", `The answer cannot be understood: ${whyNot(error)}`);
}

/** The JSON-RPC error in the body of a refusal, if it answers this request. */
export function errorInBody(error: unknown, id: number): unknown {
  if (!isHttpError(error) || typeof error.data.text !== "string") return undefined;
  try {
    const message: unknown = JSON.parse(error.data.text);
    const isAnswer = isObject(message) && isObject(message.error) && message.id === id;
    return isAnswer ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The library's message about an invalid value only helps its authors, so it is replaced. */
function whyNot(error: unknown): string {
  if (error instanceof SyntaxError) return "it is not JSON.";
  const isOfShape = error instanceof Error && error.name.endsWith("ZodError");
  return isOfShape ? "it is neither a result nor an error." : shown(messageOf(error));
}

function ofStatus({ data, message }: SdkHttpError, isInSession: boolean): ConnectionError {
  const { status } = data;
  if (status === 404 && isInSession) {
    return new SessionLostError("lost", "The server has forgotten the session (HTTP 404).");
  }
  // `null` means that the body could not be read.
  return new StatusError(status, shown(message.replace(/: null$/, ".")));
}

/** Checks the shape: the class is the library's, which may not be loaded yet. */
export function isHttpError(error: unknown): error is SdkHttpError {
  if (!(error instanceof Error) || !("data" in error) || !isObject(error.data)) return false;
  return typeof error.data.status === "number";
}

function shown(text: string): string {
  return text.slice(0, upstreamRawCharsShown);
}
