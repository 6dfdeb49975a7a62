import type { KindCandidate } from "../kind-candidate.ts";
import type { PageFacts } from "../page-facts.ts";
import { findThread } from "./forum/find-thread.ts";

/** What kind of page other than a single text this looks like, and the part of it that is kept. */
export function findKind(page: PageFacts): KindCandidate | undefined {
  return findThread(page);
}
