import type { CommandListing } from "../command.ts";

/** The commands for MCP servers, in the order of help. */
export const mcpListings: readonly CommandListing[] = [
  {
    name: "mcp add",
    summary: "Add an MCP server",
    load: async () => (await import("../commands/mcp-add.ts")).mcpAddCommand,
  },
  {
    name: "mcp add-json",
    summary: "Add an MCP server from JSON",
    load: async () => (await import("../commands/mcp-add.ts")).mcpAddJsonCommand,
  },
  {
    name: "mcp list",
    summary: "List your MCP servers",
    load: async () => (await import("../commands/mcp-list.ts")).mcpListCommand,
  },
  {
    name: "mcp get",
    summary: "Show the configuration of a server",
    load: async () => (await import("../commands/mcp-list.ts")).mcpGetCommand,
  },
  {
    name: "mcp remove",
    alias: "mcp rm",
    summary: "Remove a server",
    load: async () => (await import("../commands/mcp-add.ts")).mcpRemoveCommand,
  },
  {
    name: "mcp import",
    summary: "Import the servers of another client",
    load: async () => (await import("../commands/mcp-import.ts")).mcpImportCommand,
  },
  {
    name: "mcp approve",
    summary: "Approve servers of the project, and new or changed tools of any server",
    load: async () => (await import("../commands/mcp-approve.ts")).mcpApproveCommand,
  },
  {
    name: "mcp diff",
    summary: "Show how a server differs from what you approved",
    load: async () => (await import("../commands/mcp-approve.ts")).mcpDiffCommand,
  },
  {
    name: "mcp test",
    summary: "Start servers and report the result",
    load: async () => (await import("../commands/mcp-test.ts")).mcpTestCommand,
  },
  {
    name: "mcp status",
    summary: "Show the status of your MCP servers",
    load: async () => (await import("../commands/mcp-list.ts")).mcpStatusCommand,
  },
  {
    name: "mcp tools",
    summary: "List or search the tools of your MCP servers, and why one is blocked",
    load: async () => (await import("../commands/mcp-tools.ts")).mcpToolsCommand,
  },
  {
    name: "mcp call",
    summary: "Call a tool of a server by the server's own name for it",
    load: async () => (await import("../commands/mcp-test.ts")).mcpCallCommand,
  },
  {
    name: "mcp lock",
    summary: "Write mcp.lock: the project's servers and everything that they offer",
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
    load: async () => (await import("../commands/mcp-login.ts")).mcpLogoutCommand,
  },
  {
    name: "mcp secrets",
    summary: "Keep secrets for server entries",
    load: async () => (await import("../commands/mcp-secrets.ts")).mcpSecretsCommand,
  },
];
