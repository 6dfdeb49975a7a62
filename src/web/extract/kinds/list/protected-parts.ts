import type { HtmlElement } from "../../../dom/parse-html.ts";
import { holdersOf } from "../holders-of.ts";
import type { RecordGroup } from "./record-groups.ts";

/** The records of a page's lists, and their ancestors. */
export interface ProtectedParts {
  readonly records: ReadonlySet<HtmlElement>;
  readonly holders: ReadonlySet<HtmlElement>;
}

export function protectedParts(groups: readonly RecordGroup[]): ProtectedParts {
  const records = new Set(groups.flatMap((group) => group.records));
  return { records, holders: holdersOf(records) };
}
