import { AppError } from "../../base/errors.ts";

/** There is a definite reason why this process has no hub; it does everything itself then. The message is one line. */
export class HubFault extends AppError {
  constructor(reason: string, options?: ErrorOptions) {
    super("system", reason, options);
  }
}
