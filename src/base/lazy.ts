import { AppError } from "./errors.ts";

/** A part that is made when it is first needed, and not after `close`. */
export class Lazy<Part> {
  readonly #make: () => Promise<Part>;
  #making: Promise<Part> | undefined;
  /** Undefined until it is made. Set here alone; a member, because every call looks at it. */
  made: Part | undefined;
  #isClosed = false;

  constructor(make: () => Promise<Part>) {
    this.#make = make;
  }

  /**
   * The part, made by the first call. When making it fails, every waiting call rejects, and the next call tries again.
   * @throws AppError `cancelled` when it would have to be made after `close`
   */
  get(): Promise<Part> {
    if (this.#making === undefined && this.#isClosed) return Promise.reject(shuttingDown());
    this.#making ??= this.#make().then(
      (part) => (this.made = part),
      (error: unknown) => {
        this.#making = undefined;
        throw error;
      },
    );
    return this.#making;
  }

  /** The outcome of `work` with the part: at once when it is made. */
  use<Outcome>(work: (part: Part) => Outcome | Promise<Outcome>): Outcome | Promise<Outcome> {
    return this.made === undefined ? this.get().then(work) : work(this.made);
  }

  /** Undefined as long as nobody needs it, and after a failure. */
  get making(): Promise<Part> | undefined {
    return this.#making;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws AppError `cancelled` after `close`: for a `make` that has waited and is about to start something */
  assertOpen(): void {
    if (this.#isClosed) throw shuttingDown();
  }

  close(): void {
    this.#isClosed = true;
  }
}

/** Closes a part, and ends it when it is made or is being made. */
export async function endLazy(part: Lazy<AsyncDisposable>): Promise<void> {
  part.close();
  const made = await part.making?.catch(() => undefined);
  await made?.[Symbol.asyncDispose]();
}

type AsyncMethod = (...args: never[]) => Promise<unknown>;

/** Methods of a service that `get` makes with the first call of one of them. */
export function forwarding<
  Service extends Readonly<Record<Name, AsyncMethod>>,
  const Name extends string,
>(get: () => Promise<Service>, names: readonly Name[]): Pick<Service, Name> {
  const forward =
    (name: Name) =>
    async (...args: never[]): Promise<unknown> => {
      const service = await get();
      return service[name](...args);
    };
  // A loop: the first use of `Object.fromEntries` is a two-hundredth of a start.
  const forwarded: Partial<Record<Name, AsyncMethod>> = {};
  for (const name of names) forwarded[name] = forward(name);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for each name, with the arguments and result of its method
  return forwarded as Pick<Service, Name>;
}

function shuttingDown(): AppError {
  return new AppError("cancelled", "The server is shutting down.");
}
