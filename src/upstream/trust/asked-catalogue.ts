import type { ServerCatalogue } from "../connect/server-catalogue.ts";

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
