import type { FailureReason } from "../upstreams.ts";
import type { ManagedServer } from "./managed-server.ts";

/** What happens at a server beside its state. */
export interface ServerEvents {
  onResourceUpdated(server: string, uri: string): void;
  /** It failed outside of a call. */
  onDown(server: string, reason: FailureReason, text: string): void;
  /** A new connection of its lists is there: subscriptions have to be made again. */
  onConnected(server: ManagedServer): void;
}
