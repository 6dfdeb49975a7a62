/** Where the messages of one response stream go: to the client at once, or kept until it comes back. */
export interface EventSink {
  readonly response: Response;
  readonly isCongested: boolean;
  send(text: string): void;
  /** A sign of life, so that nobody on the way gives up on a silent stream. */
  keepAlive(): void;
  /** The last message. */
  finish(text: string | undefined): void;
  /** Ends the response while the stream goes on; undefined where streams cannot be resumed. */
  readonly closeEarly?: () => void;
}
