import {
  type ClientCapabilities,
  noClientCapabilities,
} from "../../protocol/client-capabilities.ts";
import type { ServerRights } from "../../upstream/snapshot.ts";
import type { CallRequest, ProgressUpdate } from "../call.ts";

/** The kinds of requests of that server that can be answered. */
export function askableOf(
  { capabilities = noClientCapabilities, client }: CallRequest,
  rights: Pick<ServerRights, "sampling" | "elicitation" | "roots">,
): ClientCapabilities {
  const elicits = rights.elicitation !== "deny";
  const samples = rights.sampling !== "deny";
  return {
    elicitationForm: elicits && (capabilities.elicitationForm || client.isRemote !== true),
    elicitationUrl: elicits && capabilities.elicitationUrl,
    sampling: samples && capabilities.sampling,
    samplingTools: samples && capabilities.samplingTools,
    roots: rights.roots !== "none",
    tasks: false,
    ...(capabilities.apps === undefined ? {} : { apps: capabilities.apps }),
  };
}

/** Progress as an upstream server reports it. */
type Step = readonly [progress: number, total: number | undefined, message: string | undefined];

export function progressUpdate(...[progress, total, message]: Step): ProgressUpdate {
  return {
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  };
}

/** The same in words. */
export function stepText(...[progress, total, message = ""]: Step): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === "" ? count : `${count}: ${message}`;
}
