/** A part that is made when it is first needed. */
export class LazyPart<Part> {
  readonly #make: () => Promise<Part>;
  #making: Promise<Part> | undefined;
  #made: Part | undefined;

  constructor(make: () => Promise<Part>) {
    this.#make = make;
  }

  /** A failure to make it is the failure of those who wait for it; the next one tries again. */
  get(): Promise<Part> {
    this.#making ??= this.#make().then(
      (part) => (this.#made = part),
      (error: unknown) => {
        this.#making = undefined;
        throw error;
      },
    );
    return this.#making;
  }

  /** Undefined until it is made. */
  get made(): Part | undefined {
    return this.#made;
  }

  /** Undefined as long as nobody needs it, and after a failure. */
  get making(): Promise<Part> | undefined {
    return this.#making;
  }
}

/** Ends a part that is made, or is being made. */
export async function endPart(part: LazyPart<AsyncDisposable>): Promise<void> {
  const made = await part.making?.catch(() => undefined);
  await made?.[Symbol.asyncDispose]();
}
