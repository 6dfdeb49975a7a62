import type { Params } from "../../protocol/json-rpc.ts";
import type { ConnectionError } from "./connection.ts";

/** How messages reach one server and come back, whatever carries them. */
export interface Transport {
  readonly pid?: number;
  /** True: closing the stream of a request is its cancellation in the modern revisions (HTTP). */
  readonly hasRequestStreams: boolean;
  /**
   * Resolves when it is on its way; what is answered comes as an event.
   * @param call with a request, where requests have streams of their own: what is known of it besides
   * @throws ConnectionError
   */
  send(message: OutgoingMessage, call?: RequestRoute): Promise<void>;
  /** The revision that was agreed upon in a handshake. */
  setVersion(version: string): void;
  /** When its process last wrote to stderr, by `performance.now`; undefined when it has not. */
  lastErrorAt?(): number | undefined;
  /** Ends it in good manners. Idempotent; never rejects. */
  close(): Promise<void>;
}

export interface RequestRoute {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** For HTTP: `Mcp-Param-…`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface OutgoingMessage extends Params {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
}

/** Called in the order of arrival. Must not throw. */
export interface TransportEvents {
  /** @param origin id of the request on whose stream it came, where requests have streams of their own */
  onMessage(message: unknown, origin: number | undefined): void;
  /** The answer to this request will not come. */
  onLost(id: number, error: ConnectionError): void;
  /** Not a message. */
  onStray(text: string): void;
  /** Nothing more comes or goes. Once; not after `close`. */
  onClosed(error: ConnectionError): void;
}
