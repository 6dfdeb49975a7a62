import type { ServerCatalogue } from "../catalogue/server-catalogue.ts";

/** What came of asking a server for all that it offers, once. */
export type AskedCatalogue =
  | {
      readonly kind: "catalogue";
      readonly catalogue: ServerCatalogue;
      /** What a login was granted; absent for a server without one. */
      readonly scopes?: readonly string[];
    }
  /** `reason` is a sentence: what happened and what to do. */
  | { readonly kind: "unreachable"; readonly reason: string };

/** How a server is asked. */
export interface AskedAs {
  /**
   * As the clients that it was last used by: it may offer more to those that show apps, and what of that was found is to be
   * seen and approved. Absent: as by clients that do not, so that the answer is the same on each machine.
   */
  readonly asLastHeard?: true;
}
