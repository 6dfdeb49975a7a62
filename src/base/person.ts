/** The identity of a caller, as rules may name it. Without any of these nobody can be told apart. */
export interface Person {
  /** The label of a static token, which the operator has given it. */
  readonly label?: string;
  /** The issuer of a signed token. Together with `sub` it identifies a person: other claims are for display, and may be chosen. */
  readonly issuer?: string;
  readonly sub?: string;
  /**
   * The groups that a signed token names. "unknown": it says that they are elsewhere, or names more than can be read, so that
   * no group can be ruled out.
   */
  readonly groups?: readonly string[] | "unknown";
}
