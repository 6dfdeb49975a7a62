import type { Params } from "../protocol/json-rpc.ts";

/** A client that is connected just now and may be told something that it did not ask for. */
export interface ReachableClient {
  /** It declared the experimental capability of this name. */
  hasExperimental(name: string): boolean;
  readonly canSample: boolean;
  /** Undefined where notifications of that kind must not be sent. False when it does not read just now. */
  notify(method: string, params: Params): boolean;
  /** @throws AppError `cancelled`, `system` */
  sample(params: Params): Promise<unknown>;
}

/** Finds the connections of a client identity. */
export interface ClientReach {
  /** Those that have finished their handshake; none for clients of the stateless revision. */
  connectionsOf(clientId: string): readonly ReachableClient[];
}
