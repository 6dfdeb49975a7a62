/** A part that is made when it is first needed, and ended if it was. */
export class LazyPart<Part extends AsyncDisposable> implements AsyncDisposable {
  readonly #make: () => Promise<Part>;
  #part: Promise<Part> | undefined;

  constructor(make: () => Promise<Part>) {
    this.#make = make;
  }

  /** A failure to make it is the failure of those who wait for it; the next one tries again. */
  get(): Promise<Part> {
    this.#part ??= this.#make().catch((error: unknown) => {
      this.#part = undefined;
      throw error;
    });
    return this.#part;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const part = await this.#part?.catch(() => undefined);
    await part?.[Symbol.asyncDispose]();
  }
}
