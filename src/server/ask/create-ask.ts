import type { AskClient } from "../../gateway/ask-client.ts";
import { AppError } from "../../base/errors.ts";
import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";

/** How the client of this request is asked: by server requests (legacy) or by rounds (modern). */
export function createAsk(_request: ActiveRequest, _connection: Connection): AskClient {
  return {
    can: () => false,
    ask: () => Promise.reject(new AppError("unsupported", "The client cannot be asked.")),
  };
}
