import type { ResourceListing } from "../../protocol/resource-types.ts";
import type { ClientContext } from "../call.ts";

/** What the server keeps for a client, as a resource that is always there and always has the same URI. */
export interface StateResource {
  readonly listing: ResourceListing;
  text(client: ClientContext): Promise<string>;
  /** Calls `tell` when what another process may change has changed, until the return value is called. */
  watch?(client: ClientContext, tell: () => void): () => void;
}
