import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to clients that read pages. */
export const pageRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/pages.md", {
    "pages.fetched": "A page arrives as it was served, with its final URL, status and type.",
    "pages.refused": "Addresses of private networks are refused in every spelling.",
    "pages.kept": "A page that was read a moment ago is not asked for again.",
    "pages.together": "Twenty pages at once arrive all, and disturb no other call.",
    "pages.cancelled": "A cancelled call ends its request, and only its own.",
    "pages.browser": "One browser opens all pages of a server, and ends with it in any way.",
    "pages.clients": "Two servers beside each other have a browser each.",
    "pages.unused": "A server that reads no page starts nothing for it.",
  }),
};
