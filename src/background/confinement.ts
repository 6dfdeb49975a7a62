/** How one command is kept within bounds by the system; made for it alone. */
export interface Confinement {
  /** The program to start instead, which starts `argv` within the bounds. */
  wrap(argv: readonly string[]): readonly string[];
  /** Added to the environment of the command, such as its TMPDIR. */
  readonly env: Readonly<Record<string, string>>;
  /** For the model: in what the command ran and what of it is not enforced; one sentence each. */
  readonly notes: readonly string[];
  /** The command and all that it started is gone: what was made for it can be removed. */
  release(): void;
}
