import type { KindCandidate } from "../../kind-candidate.ts";
import type { PageFacts } from "../../page-facts.ts";
import type { PageClaims } from "../page-claims.ts";
import { copyList } from "./copy-list.ts";
import { listEvidence } from "./list-evidence.ts";
import { listRoot } from "./list-root.ts";
import { protectedParts } from "./protected-parts.ts";

/** Below it a page has lists, but is not one. */
const certaintyMin = 0.3;

/** A page whose subject are the things that it lists. */
export function findList(page: PageFacts, claims: PageClaims): KindCandidate | undefined {
  const { certainty, isPriced, lists } = listEvidence(page, claims);
  if (certainty < certaintyMin) return undefined;
  const parts = protectedParts(lists);
  const root = copyList(listRoot(page, parts), page, parts);
  return { kind: isPriced ? "collection" : "listing", root, confidence: certainty };
}
