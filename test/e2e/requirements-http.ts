import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to clients of Streamable HTTP. */
export const httpRequirements: Readonly<Record<string, Requirement>> = {
  ...from("2026-07-28/basic/transports/streamable-http", {
    "http.status": "Every outcome has its HTTP status.",
    "http.ids":
      "Each answer has its request's id with its type, and none when it could not be read.",
  }),
};
