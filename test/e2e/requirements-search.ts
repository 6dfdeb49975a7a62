import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to clients that search the Web. */
export const searchRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/websearch.md#what-comes-back", {
    "search.states": "Engines in trouble cost their results only; each state is told.",
    "search.failed": "A search fails when every engine does, with each reason and what helps.",
    "search.empty": "Nothing found, with an engine in order, is an answer.",
    "search.blank": "A blank query is a bad argument.",
    "search.invisible": "What is not to be seen in results does not arrive.",
  }),
  ...from("docs/websearch.md#engines-that-are-left-alone", {
    "search.suspended": "An engine that wants a captcha is not asked again, by no process.",
  }),
  ...from("docs/websearch.md#how-long-it-takes", {
    "search.cached": "The same query again is answered from memory, and says so.",
    "search.cancelled": "A cancelled search ends its requests.",
  }),
  ...from("docs/websearch.md#on-the-command-line", {
    "search.command": "The command searches, and tells which engines answer.",
  }),
};
