/** The answer of `/readyz`. */
export type ReadyWord = "ready" | "degraded" | "draining";

/** Collects what parts of the server say about themselves. A part that has said nothing is well. */
export class Readiness {
  readonly #parts = new Map<string, boolean>();
  #isDraining = false;

  get word(): ReadyWord {
    if (this.#isDraining) return "draining";
    for (const isWell of this.#parts.values()) if (!isWell) return "degraded";
    return "ready";
  }

  /** The parts that have said anything, by name: whether each is well. */
  get parts(): Readonly<Record<string, boolean>> {
    return Object.fromEntries(this.#parts);
  }

  /**
   * The state of a part without which own tools go on, such as an engine.
   * @param name shown to the operator
   */
  report(name: string, isWell: boolean): void {
    this.#parts.set(name, isWell);
  }

  /** From now on there is no new work, whatever the parts say. */
  drain(): void {
    this.#isDraining = true;
  }
}
