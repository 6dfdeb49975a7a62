/** The identity of a caller, as rules may name it. Without any of these nobody can be told apart. */
export interface Person {
  /** Of a static token, which the operator has given it. */
  readonly label?: string;
  /** Of a signed token. Together with `sub` it is who a person is: other claims are for display, and may be chosen. */
  readonly issuer?: string;
  readonly sub?: string;
  /**
   * Of a signed token that names groups. "unknown": it says that they are elsewhere, or names more than can be read, so that
   * nobody can tell of a group whether it is one of them.
   */
  readonly groups?: readonly string[] | "unknown";
}
