import type { CommandListing } from "../command-listing.ts";

/** The commands for other MCP servers, in the order in which help has them. */
export const mcpListings: readonly CommandListing[] = [
  {
    name: "mcp add",
    summary: "Add another MCP server",
    load: async () => (await import("../commands/mcp-add.ts")).mcpAddCommand,
  },
  {
    name: "mcp add-json",
    summary: "Add another MCP server from JSON",
    load: async () => (await import("../commands/mcp-add-json.ts")).mcpAddJsonCommand,
  },
  {
    name: "mcp list",
    summary: "List the other MCP servers",
    load: async () => (await import("../commands/mcp-list.ts")).mcpListCommand,
  },
  {
    name: "mcp get",
    summary: "Show what counts for a server",
    load: async () => (await import("../commands/mcp-get.ts")).mcpGetCommand,
  },
  {
    name: "mcp remove",
    alias: "mcp rm",
    summary: "Remove a server",
    load: async () => (await import("../commands/mcp-remove.ts")).mcpRemoveCommand,
  },
  {
    name: "mcp import",
    summary: "Take over the servers of another client",
    load: async () => (await import("../commands/mcp-import.ts")).mcpImportCommand,
  },
  {
    name: "mcp approve",
    summary: "Let servers of the project start, and accept what of a server is new or was changed",
    load: async () => (await import("../commands/mcp-approve.ts")).mcpApproveCommand,
  },
  {
    name: "mcp diff",
    summary: "Show what of a server is not as it was approved",
    load: async () => (await import("../commands/mcp-diff.ts")).mcpDiffCommand,
  },
  {
    name: "mcp test",
    summary: "Start servers, and say how that went",
    load: async () => (await import("../commands/mcp-test.ts")).mcpTestCommand,
  },
  {
    name: "mcp status",
    summary: "Show the status of your MCP servers",
    load: async () => (await import("../commands/mcp-status.ts")).mcpStatusCommand,
  },
  {
    name: "mcp tools",
    summary: "List or search the tools of your MCP servers, and why one may not be called",
    load: async () => (await import("../commands/mcp-tools.ts")).mcpToolsCommand,
  },
  {
    name: "mcp call",
    summary: "Call a tool of another server by its name there",
    load: async () => (await import("../commands/mcp-call.ts")).mcpCallCommand,
  },
  {
    name: "mcp lock",
    summary: "Write mcp.lock: what the servers of the project are and offer",
    load: async () => (await import("../commands/mcp-lock.ts")).mcpLockCommand,
  },
  {
    name: "mcp verify",
    summary: "Check the servers against mcp.lock",
    load: async () => (await import("../commands/mcp-verify.ts")).mcpVerifyCommand,
  },
  {
    name: "mcp login",
    summary: "Log in to a server with OAuth",
    load: async () => (await import("../commands/mcp-login.ts")).mcpLoginCommand,
  },
  {
    name: "mcp logout",
    summary: "Delete the login to a server",
    load: async () => (await import("../commands/mcp-logout.ts")).mcpLogoutCommand,
  },
  {
    name: "mcp secrets",
    summary: "Keep secrets for the entries of servers",
    load: async () => (await import("../commands/mcp-secrets.ts")).mcpSecretsCommand,
  },
];
