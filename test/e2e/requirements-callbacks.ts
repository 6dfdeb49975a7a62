import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to clients that set callbacks. */
export const callbackRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/callbacks.md#setting-listing-cancelling", {
    "callbacks.slots": "Eight callbacks; a ninth is refused, a cancelled one gives its slot back.",
  }),
  ...from("docs/callbacks.md#when-a-callback-fires", {
    "callbacks.idle": "Nothing fires during a call; what came due waits for a full delay after it.",
  }),
  ...from("docs/callbacks.md#how-a-fire-reaches-the-client", {
    "callbacks.ways": "A fire goes out once by each way that the client has.",
    "callbacks.mail": "Each fire is a line of the next result that is delivered, and of no other.",
    "callbacks.owner": "Callbacks are seen, and told of, by their client alone.",
    "callbacks.modern": "A client of 2026-07-28 has the resource, its updates, and the line.",
  }),
};
