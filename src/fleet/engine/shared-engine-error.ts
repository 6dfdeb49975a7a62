import { AppError } from "../../base/errors.ts";

/** Why the shared engine did not do what was asked. */
export type EngineFaultReason =
  /** There is no connection: nothing was done. */
  | "away"
  /** It did not answer in time, or the connection broke: it may have been done. */
  | "late"
  /** Its memory is full (`maxmemory`): nothing was done. */
  | "full"
  /** Too much waits for it already: nothing was done. */
  | "busy"
  /** It answered with another error. */
  | "refused";

/** A failure of the shared engine. The message names the engine. */
export class SharedEngineError extends AppError {
  constructor(
    readonly reason: EngineFaultReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(reason === "busy" ? "limit" : "system", message, options);
  }
}
