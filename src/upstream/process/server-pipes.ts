/** The three pipes of a server, as the Worker uses them. */
export interface ServerPipes {
  readonly output: ReadableStream<Uint8Array>;
  readonly errors: ReadableStream<Uint8Array>;
  /** Resolves when the pipe has taken it. Called again only after that. @throws when nobody reads any more */
  write(text: string): Promise<void>;
  endInput(): void;
  /** Lets go of all of them. Idempotent. */
  release(): void;
}
