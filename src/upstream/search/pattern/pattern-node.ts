import type { CharSet } from "./char-set.ts";

export type Assertion = "start" | "end" | "border" | "no-border";

/** A regular expression, as read. */
export type PatternNode =
  | { readonly kind: "set"; readonly set: CharSet }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly nodes: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly node: PatternNode;
      readonly min: number;
      /** Infinity: no end. */
      readonly max: number;
    };

/** Why a pattern cannot be used, as the end of a sentence. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}
