/** The flags and arguments of one command line. */
export class ParsedArguments {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(
    values: ReadonlyMap<string, readonly string[]>,
    readonly positionals: readonly string[],
    /** Arguments from this one on were written behind `--`. */
    readonly verbatimFrom: number = positionals.length,
  ) {
    this.#values = values;
  }

  has(flag: string): boolean {
    return this.#values.has(flag);
  }

  text(flag: string): string | undefined {
    return this.#values.get(flag)?.at(-1);
  }

  list(flag: string): readonly string[] {
    return this.#values.get(flag) ?? [];
  }
}
