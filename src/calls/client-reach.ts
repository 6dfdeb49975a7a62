import type { Params } from "../protocol/json-rpc.ts";

/** A client that is connected just now and may be told something that it did not ask for. */
export interface ReachableClient {
  /**
   * Sends a message into the conversation of a client that takes them (docs/callbacks.md). False when this one does
   * not, or does not read just now.
   */
  pushToChannel(content: string, meta: Readonly<Record<string, string>>): boolean;
  /** Sends a log message of level `info`. False when the client wants none of that level, or does not read just now. */
  logInfo(logger: string, data: unknown): boolean;
  /** The client declared that its model may be asked, and reads just now. */
  readonly canSample: boolean;
  /**
   * Its answer to `sampling/createMessage`, unchecked.
   * @throws AppError `system` when the client refused, `cancelled` when it did not answer or is gone
   */
  sample(params: Params): Promise<unknown>;
}

/** Finds the connections of a client identity. */
export interface ClientReach {
  /** Those that have finished their handshake; none for clients of the stateless revision. */
  connectionsOf(clientId: string): readonly ReachableClient[];
}
