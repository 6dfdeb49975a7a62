/** A variable or secret that a launch names is not there, or cannot be used. Never leaves this folder. */
export class NeedsConfig extends Error {
  override readonly name = "NeedsConfig";

  /**
   * @param variable as written, without `${}`
   * @param message a sentence: what is missing and what to do
   */
  constructor(
    readonly variable: string,
    message: string,
  ) {
    super(message);
  }
}
