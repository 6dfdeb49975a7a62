/** How one command is kept within bounds by the system; made for it alone. */
export interface Confinement {
  /** The program to start instead, which starts `argv` within the bounds. */
  wrap(argv: readonly string[]): readonly string[];
  /** Added to the environment of the command, such as its TMPDIR. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * The input that the program reads from its descriptor 3 before it starts the command. At most 4 KiB: it waits in a
   * pipe.
   */
  readonly data?: Uint8Array;
  /** That program stays, watches over the command and kills it when it is asked to end: the command is asked instead. */
  readonly isOverseen?: boolean;
  /** Notes for the model: the sandbox of the command, and the parts that are not enforced; one sentence each. */
  readonly notes: readonly string[];
  /** Removes the resources of the command once it and everything it started are gone. Never rejects. */
  release(): Promise<void>;
}
