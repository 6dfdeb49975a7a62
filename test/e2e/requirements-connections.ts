import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of connections to other servers. */
export const connectionRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/spec/gateway.md#acceptance", {
    "gateway.gw-43":
      "The protocol's reference server works whole, over pipes and both forms of HTTP, for clients of both eras.",
  }),
};
