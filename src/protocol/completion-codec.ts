import { completionValuesMax } from "../base/limits.ts";
import { encodeComplete } from "./complete-result.ts";
import type { ProtocolVersion } from "./versions.ts";

/** The result of `completion/complete`: the first 100 of all that fits (docs/spec/modern.md#resources-and-prompts). */
export function encodeCompletion(all: readonly string[], version: ProtocolVersion): string {
  const completion = {
    values: all.slice(0, completionValuesMax),
    total: all.length,
    hasMore: all.length > completionValuesMax,
  };
  return encodeComplete({ completion }, version);
}
