import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of logins to other servers, and of secrets. */
export const loginRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/mcp-login.md#secrets", {
    "gateway.secrets":
      "Secrets of the user's are filled in where an entry names them, and shown nowhere.",
  }),
  ...from("docs/mcp-login.md#what-is-kept-to", {
    "gateway.gw-39":
      "A login goes to the right server only; tokens are renewed once for all, and no browser opens by itself.",
    "gateway.login-addresses":
      "A server sends a login only where it is itself, to public addresses, or to what the user names; what was judged is dialled.",
  }),
};
