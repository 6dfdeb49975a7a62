import type { ReplyRecord } from "../../base/reply-record.ts";
import type { ProtocolFault } from "../../protocol/json-rpc.ts";

/** An incoming message: a parsed JSON value of any kind, or a line that could not be parsed. */
export type TransportEvent =
  | { readonly kind: "message"; readonly value: unknown }
  | { readonly kind: "unreadable"; readonly fault: ProtocolFault };

/** Called once per chunk read; what it sends before it returns goes out in one write. */
export type EventsReceiver = (events: readonly TransportEvent[]) => void;

/** Moves messages between a peer and a receiver. Knows JSON, but neither methods nor tools. */
export interface Transport {
  /** Reads until the peer closes its end, its reader is gone, or `close` is called. Never rejects. */
  run(receive: EventsReceiver): Promise<void>;
  /** Queues one message, without its newline. Ignored once the peer no longer reads. @param record of the parts that it gives */
  send(text: string, record?: ReplyRecord): void;
  /** True while so much waits for a slow reader that optional messages should wait too. */
  readonly isCongested: boolean;
  /** Resolves when all that was sent has been handed over, or never will be. */
  flushed(): Promise<void>;
  /** Ends reading; `run` resolves. Messages that were sent still go out. */
  close(): void;
}
