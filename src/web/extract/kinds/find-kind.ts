import type { KindCandidate } from "../kind-candidate.ts";
import type { PageFacts } from "../page-facts.ts";
import { findThread } from "./forum/find-thread.ts";
import { findList } from "./list/find-list.ts";
import { readClaims } from "./page-claims.ts";
import { findProduct } from "./product/find-product.ts";

/** A thread that is as sure is not compared with anything else. */
const threadConfidenceMin = 0.7;

/** The kind of page, other than a single text, that this looks like, and the part that is kept. */
export function findKind(page: PageFacts): KindCandidate | undefined {
  const thread = findThread(page);
  if (thread !== undefined && thread.confidence >= threadConfidenceMin) return thread;
  const claims = readClaims(page);
  if (claims.isProduct && !claims.isCollection) return findProduct(page);
  const list = findList(page, claims);
  if (list !== undefined) return list;
  return claims.isSharedAsProduct ? findProduct(page) : thread;
}
