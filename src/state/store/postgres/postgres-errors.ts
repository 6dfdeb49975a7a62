import { AppError, messageOf, systemCodeOf } from "../../../base/errors.ts";

/** The connection did not survive, or the engine is silent: nobody here knows how the transaction ended. */
export class EngineLost extends Error {
  override readonly name = "EngineLost";
}

/** There is none, and another try would not have one either. */
export class NoConnection extends Error {
  override readonly name = "NoConnection";

  constructor(readonly reason: unknown) {
    super("no connection", { cause: reason });
  }
}

/** The SQLSTATE that the engine sent; undefined for errors of the connection. */
function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("errno" in error)) return undefined;
  return typeof error.errno === "string" ? error.errno : undefined;
}

/** Codes with which the engine itself goes away, starts, or has become one that is only read. */
const leaving = /^(57P0[1-5]|08...|25006)$/;

/** True when the connection is not to be used any more. */
export function isLoss(error: unknown): boolean {
  if (error instanceof EngineLost) return true;
  const state = stateOf(error);
  if (state !== undefined) return leaving.test(state);
  return /^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME|EXPECTED|INVALID|UNEXPECTED)/.test(
    String(systemCodeOf(error)),
  );
}

/** True for the reason of a failure that every other request would have too. */
export function isAway(reason: unknown): boolean {
  if (reason instanceof NoConnection) return true;
  return isLoss(reason) || /^(28|3D|53300)/.test(stateOf(reason) ?? "");
}

/** True when the engine has undone the transaction because of another one: it may be tried again. */
export function isConflict(error: unknown): boolean {
  return /^40(001|P01)$/.test(stateOf(error) ?? "");
}

/** True when trying again cannot help until a person has changed something. */
export function isFinal(error: unknown): boolean {
  if (error instanceof AppError) return true;
  const state = stateOf(error);
  if (state !== undefined) return /^(28|3D|42)/.test(state);
  return /TLS|SSL|CERT|AUTHENTICATION|SASL|UNSUPPORTED/.test(String(systemCodeOf(error)));
}

/**
 * The error for a store that cannot be used: the engine, the event, and the next step.
 * @param outcome of the change, as a sentence; empty without a change
 */
export function engineError(name: string, cause: unknown, outcome = ""): AppError {
  if (cause instanceof AppError) return cause;
  if (cause instanceof NoConnection) return engineError(name, cause.reason, outcome);
  const fact = `${name} cannot be used: ${messageOf(cause).replace(/\.$/, "")}.`;
  const text = [fact, outcome, remedyOf(cause)].filter(Boolean).join(" ");
  return new AppError("system", text, { cause });
}

const away = "Check that it runs and can be reached from here; everything else keeps working.";

/** By the beginning of SQLSTATE; the first that fits. */
const remedies: readonly (readonly [string, string])[] = [
  ["28", "Check the user and the password in STORE_URL, and pg_hba.conf of the engine."],
  ["3D000", "Create the database, or name another one in STORE_URL."],
  ["42501", "Grant the user CREATE on the database, or make it the owner."],
  ["53100", "The disk of the engine is full: free space on it and try again."],
  ["53300", "Raise max_connections of the engine, or run fewer replicas: each needs five to ten."],
  ["53", "The engine has no resources left: give it more, and try again."],
  ["54", "The engine has a limit that this exceeds: see its log."],
  ["55P03", "Others have been writing to it for a long time: try again later."],
  ["57014", "The engine is overloaded: try again later."],
  ["57P03", "It is starting or stopping: try again in a moment."],
  ["25006", "It is a standby: name the primary in STORE_URL, or promote this one."],
  ["57P", away],
  ["08", away],
];

function remedyOf(cause: unknown): string {
  const state = stateOf(cause);
  if (state === "28000" && messageOf(cause).includes("no encryption")) {
    return "It demands TLS: add ?sslmode=verify-full (or require) to STORE_URL.";
  }
  if (state !== undefined) {
    const found = remedies.find(([beginning]) => state.startsWith(beginning));
    return found?.[1] ?? "See the log of the engine.";
  }
  const code = String(systemCodeOf(cause));
  if (code.includes("TLS_NOT_AVAILABLE")) {
    return "It offers no TLS: switch TLS on there, or write ?sslmode=disable for a network that you trust.";
  }
  if (/TLS|SSL|CERT|SELF_SIGNED|ALTNAME/.test(code)) {
    return "Name the certificates that vouch for it with sslrootcert in STORE_URL, and the host as its certificate has it.";
  }
  return away;
}
