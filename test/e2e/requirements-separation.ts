import { from, type Requirement } from "./harness/requirement.ts";

/** What keeps the people who use one server apart, and the server from them. */
export const separationRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/http.md#secrets-of-the-server", {
    "team.secrets": "Secrets of the start are in no environment that a command can read.",
  }),
};
