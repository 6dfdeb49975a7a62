import { isTag } from "domhandler";

import type { HtmlElement } from "../../../dom/parse-html.ts";
import type { RecordGroup } from "./record-groups.ts";

/** The records of a page's lists, and all that they stand in. */
export interface ProtectedParts {
  readonly records: ReadonlySet<HtmlElement>;
  readonly holders: ReadonlySet<HtmlElement>;
}

export function protectedParts(groups: readonly RecordGroup[]): ProtectedParts {
  const records = new Set(groups.flatMap((group) => group.records));
  const holders = new Set<HtmlElement>();
  for (const record of records) {
    let parent = record.parent;
    while (parent !== null && isTag(parent) && !holders.has(parent)) {
      holders.add(parent);
      parent = parent.parent;
    }
  }
  return { records, holders };
}
