import { AppError } from "../../base/errors.ts";
import type { InputRequests, InputResponses } from "../../protocol/input-request.ts";
import type { JobEnd } from "../../tools/workers/job.ts";
import { FaultError, InputNeeded } from "../ask-client.ts";
import type { CallRequest } from "../call.ts";

/**
 * Asks the client for a job. `hasActed`: its handler has had something done before, of which the next round,
 * in which the handler runs from its start, would not know: then only answers that are there at once count.
 * @throws what `AskClient.ask` throws, AppError `usage` when the handler asked too late
 */
export async function askForJob(
  { ask, name }: CallRequest,
  requests: InputRequests,
  hasActed: boolean,
): Promise<InputResponses> {
  if (ask === undefined) throw new AppError("unsupported", "There is no client that can be asked.");
  try {
    return await ask.ask(requests);
  } catch (error) {
    if (!(error instanceof InputNeeded) || !hasActed) throw error;
    const message =
      `${name} asked the client after it had done something else, which cannot be taken up again ` +
      `when the client has answered. A tool must ask before anything else.`;
    throw new AppError("usage", message);
  }
}

/** How a job ends by an error of `ask` that is none of its handler's; undefined for all other errors. */
export function jobEndOf(error: unknown): JobEnd | undefined {
  if (error instanceof FaultError) return { ended: { kind: "fault", fault: error.fault } };
  if (!(error instanceof InputNeeded)) return undefined;
  const { requests, requestState } = error;
  return { ended: { kind: "input-required", requests, requestState } };
}
