import {
  type ClientCapabilities,
  noClientCapabilities,
} from "../../protocol/client-capabilities.ts";
import type { ServerRights } from "../../upstream/snapshot.ts";
import type { CallRequest } from "../call.ts";

/** What that server may ask for with some hope of an answer. */
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
