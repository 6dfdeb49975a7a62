/** Something promised to clients. */
export interface Requirement {
  /**
   * Where it is stated: a page of the specification (`2025-11-25/basic/lifecycle`), another standard (`RFC 9728`),
   * or, for what is our own promise, a page of this documentation (`docs/output.md#order`).
   */
  readonly spec: string;
  readonly says: string;
}

/** Requirements (id → sentence) that one page states. */
export function from(
  spec: string,
  sentences: Readonly<Record<string, string>>,
): Readonly<Record<string, Requirement>> {
  return Object.fromEntries(Object.entries(sentences).map(([id, says]) => [id, { spec, says }]));
}
