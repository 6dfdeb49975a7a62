import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised where one server serves a team. */
export const teamRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/mcp-login.md#a-login-for-each-user", {
    "team.logins":
      "Each user logs in to an MCP server with an account of their own; tokens are encrypted, renewed once, and never those of another.",
    "team.identity":
      "The signed token of a client is traded where the entry says so, and never sent to an MCP server.",
    "team.own-logins":
      "A page shows the logins of whoever has a token, begins and ends them, and shows those of nobody else.",
    "team.login-pages":
      "The page of a login names the user, works once and in one browser, and takes no form of another page.",
  }),
  ...from("docs/http.md#a-file-of-settings", {
    "team.settings":
      "`http.toml` and the environment say what flags say; a mistake in them is refused by name.",
  }),
  ...from("docs/deploy.md#in-a-container", {
    "team.first-process":
      "As the first process of a container it reaps every orphan, and ends none that it has not started.",
  }),
  ...from("docs/teams.md#tokens", {
    "team.tokens":
      "Made tokens are kept as digests, expire, are replaced with a grace, and end with all that they opened.",
    "team.token-servers": "A token for some MCP servers neither sees nor reaches any other.",
  }),
  ...from("docs/http.md#tool-scopes", {
    "team.scopes":
      "Scopes are for names, patterns and risks of tools; the most specific entry counts.",
  }),
  ...from("docs/policy.md#rules-by-person", {
    "team.rules": "Rules name people by label, or issuer and subject, and by group and server.",
  }),
};
