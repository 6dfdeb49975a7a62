import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised where several principals are served. */
export const principalRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/http.md#what-principals-share", {
    "principals.memory":
      "Of two principals with the official memory server, as it comes, neither reads the other.",
    "principals.user":
      "Each principal has its own process of a server; an entry that shares one is named.",
    "principals.growth":
      "A token file that comes to name a second principal ends shared processes before it is answered.",
  }),
};
