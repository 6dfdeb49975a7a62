/** The part of a stream's reader that is used. */
export interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** What is read once, by one reader: a stream, or less than that. */
export interface ByteSource {
  getReader(): ByteReader;
}

/** The three pipes of a server, as the Worker uses them. */
export interface ServerPipes {
  readonly output: ByteSource;
  readonly errors: ReadableStream<Uint8Array>;
  /** Resolves when the pipe has taken it. Called again only after that. @throws when nobody reads any more */
  write(text: string): Promise<void>;
  endInput(): void;
  /** Lets go of all of them. Idempotent. */
  release(): void;
}
