/** How one command is kept within bounds by the system; made for it alone. */
export interface Confinement {
  /** The program to start instead, which starts `argv` within the bounds. */
  wrap(argv: readonly string[]): readonly string[];
  /** Added to the environment of the command, such as its TMPDIR. */
  readonly env: Readonly<Record<string, string>>;
  /** What that program reads from its descriptor 3, before it starts the command. At most 4 KiB: it waits in a pipe. */
  readonly data?: Uint8Array;
  /** That program stays, watches over the command and kills it when it is asked to end: the command is asked instead. */
  readonly isOverseen?: boolean;
  /** For the model: in what the command ran and what of it is not enforced; one sentence each. */
  readonly notes: readonly string[];
  /** The command and all that it started is gone: what was made for it is removed. Never rejects. */
  release(): Promise<void>;
}
