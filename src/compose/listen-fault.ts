import { AppError, messageOf, systemCodeOf } from "../base/errors.ts";

/** What the system says, with what to do about it. */
const remedies: ReadonlyMap<string | undefined, string> = new Map([
  ["EADDRINUSE", "the port is in use. Choose another one with --http, or 0 for a free one."],
  [
    "EADDRNOTAVAIL",
    "this machine has no such address. Give one of its own with --http, such as 127.0.0.1.",
  ],
  [
    "EACCES",
    "the system does not allow it, mostly because the port is below 1024. Choose a higher one with --http.",
  ],
]);

/** Why a server cannot listen at `address`. */
export function listenFault(address: string, error: unknown): AppError {
  const known = remedies.get(systemCodeOf(error));
  const text = known ?? `${messageOf(error)}. Choose another address or port with --http.`;
  return new AppError("system", `Cannot listen on ${address}: ${text}`, { cause: error });
}
