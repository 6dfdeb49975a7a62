import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of servers and tools that the user has not approved. */
export const trustRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/mcp-trust.md#servers-of-a-project", {
    "gateway.gw-22":
      "Nothing of a project runs before it is approved; an approval counts within 2 s.",
    "gateway.trust-command": "An approval is for one command, and void when that is changed.",
  }),
  ...from("docs/mcp-trust.md#tools-that-change", {
    "gateway.trust-tools":
      "What is new, changed or has hidden characters is neither listed, found nor called until it is approved.",
  }),
  ...from("docs/mcp-trust.md#rules-of-the-administrator", {
    "gateway.managed-rules":
      "What the administrator denies is neither listed, found nor called, whatever users and projects say.",
  }),
  ...from("docs/mcp-trust.md#allow-and-deny", {
    "gateway.gw-23": "What is denied is neither listed, found nor called, by any of its names.",
  }),
};
