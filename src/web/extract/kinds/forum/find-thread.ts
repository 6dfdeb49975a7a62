import type { KindCandidate } from "../../kind-candidate.ts";
import type { PageFacts } from "../../page-facts.ts";
import { buildThread } from "./build-thread.ts";
import { knownThread } from "./known-thread.ts";
import { unknownThread } from "./unknown-thread.ts";

/** Below it what looks like a thread is not worth a look at other software. */
const certaintyMin = 0.5;

/** The thread of a page of a forum, or the questions and answers of one. */
export function findThread(page: PageFacts): KindCandidate | undefined {
  const known = knownThread(page);
  const thread =
    known !== undefined && known.certainty >= certaintyMin ? known : unknownThread(page);
  if (thread === undefined) return undefined;
  return { kind: "forum", root: buildThread(thread), confidence: thread.certainty };
}
