import type { Params } from "../../protocol/json-rpc.ts";

export type StringValues =
  | { readonly kind: "strings"; readonly values: Readonly<Record<string, string>> }
  /** The first one that is not a string. */
  | { readonly kind: "refused"; readonly name: string };

/** Arguments of prompts and completions are strings (docs/spec/modern.md#resources-and-prompts). The copy has no prototype. */
export function readStrings(given: Params): StringValues {
  const values = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string") return { kind: "refused", name: name.slice(0, 100) };
    values[name] = value;
  }
  return { kind: "strings", values };
}
