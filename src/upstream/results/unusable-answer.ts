/** An answer of another server that cannot be given to a client; the message says why, to a person. */
export class UnusableAnswer extends Error {
  override readonly name = "UnusableAnswer";

  constructor(
    readonly reason: "malformed" | "too_large",
    message: string,
  ) {
    super(message);
  }
}
