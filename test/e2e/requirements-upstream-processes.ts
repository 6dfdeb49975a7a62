import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of the processes of other servers, and of the Worker that speaks to them. */
export const upstreamProcessRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/spec/gateway.md#acceptance", {
    "gateway.gw-12":
      "Nothing of other servers is left 2 s after the end of input, 5 s after a kill -9.",
    "gateway.gw-33": "Other servers find nothing of our environment that is not theirs.",
    "gateway.gw-34": "A server that only the login shell's PATH knows is found.",
    "gateway.gw-35": "What a server prints that is no message goes to its log, with its stderr.",
    "gateway.gw-37":
      "A Worker that hangs is replaced within 6 s, and calls of our own tools go on.",
  }),
};
