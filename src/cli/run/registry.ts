import type { CommandListing, KnownCommands } from "../command.ts";
import { serveListing } from "../commands/serve.ts";

/** The commands for MCP servers, in the order of help. */
const mcpListings: readonly CommandListing[] = [
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
    load: async () => (await import("../commands/mcp-tools.ts")).mcpCallCommand,
  },
  {
    name: "mcp lock",
    summary: "Write mcp.lock: the project's servers and everything that they offer",
    load: async () => (await import("../commands/mcp-lock.ts")).mcpLockCommand,
  },
  {
    name: "mcp verify",
    summary: "Check the servers against mcp.lock",
    load: async () => (await import("../commands/mcp-lock.ts")).mcpVerifyCommand,
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
    name: "mcp logins",
    summary: "List the logins of the users of serve --http",
    load: async () => (await import("../commands/mcp-logins.ts")).mcpLoginsCommand,
  },
  {
    name: "mcp secrets",
    summary: "Keep secrets for server entries",
    load: async () => (await import("../commands/mcp-secrets.ts")).mcpSecretsCommand,
  },
];

export const commandListings: readonly CommandListing[] = [
  serveListing,
  {
    name: "install",
    summary: "Connect clients: add scorpiox-code to their configuration",
    load: async () => (await import("../commands/install.ts")).installCommand,
  },
  {
    name: "uninstall",
    summary: "Disconnect clients",
    load: async () => (await import("../commands/install.ts")).uninstallCommand,
  },
  {
    name: "undo",
    summary: "Take back the last change of clients' configuration",
    load: async () => (await import("../commands/undo.ts")).undoCommand,
  },
  {
    name: "update",
    summary: "Update this program to the latest release",
    load: async () => (await import("../commands/update.ts")).updateCommand,
  },
  {
    name: "tools",
    summary: "List the tools",
    load: async () => (await import("../commands/tools.ts")).toolsCommand,
  },
  {
    name: "call",
    summary: "Call a tool and print its result",
    load: async () => (await import("../commands/tools.ts")).callCommand,
  },
  {
    name: "extract",
    summary: "Print the content of an HTML page",
    load: async () => (await import("../commands/web.ts")).extractCommand,
  },
  {
    name: "search",
    summary: "Search the web, or read the saved page of a search engine",
    load: async () => (await import("../commands/web.ts")).searchCommand,
  },
  {
    name: "doctor",
    summary: "Examine everything, and say how to repair each fault",
    load: async () => (await import("../commands/doctor.ts")).doctorCommand,
  },
  {
    name: "doctor browser",
    summary: "Show which browser ReadDocs would use, and where it was searched",
    load: async () => (await import("../commands/doctor-parts.ts")).doctorBrowserCommand,
  },
  {
    name: "doctor search",
    summary: "Show which search engines answer from this network",
    load: async () => (await import("../commands/doctor-parts.ts")).doctorSearchCommand,
  },
  {
    name: "doctor sandbox",
    summary: "Show which sandboxes for commands work on this machine",
    load: async () => (await import("../commands/doctor-parts.ts")).doctorSandboxCommand,
  },
  {
    name: "attach",
    summary: "Answer questions and watch background tasks of running servers in this terminal",
    load: async () => (await import("../commands/attach.ts")).attachCommand,
  },
  {
    name: "hub status",
    summary: "Show the process that runs MCP servers and kept tasks for all of your clients",
    load: async () => (await import("../commands/hub.ts")).hubStatusCommand,
  },
  {
    name: "hub stop",
    summary: "End that process and all that it runs",
    load: async () => (await import("../commands/hub.ts")).hubStopCommand,
  },
  {
    name: "bg list",
    summary: "List the background tasks of running servers, and kept ones",
    load: async () => (await import("../commands/live-state.ts")).bgListCommand,
  },
  {
    name: "bg read",
    summary: "Print the output of a kept background task",
    load: async () => (await import("../commands/bg-kept.ts")).bgReadCommand,
  },
  {
    name: "bg kill",
    summary: "End a kept background task",
    load: async () => (await import("../commands/bg-kept.ts")).bgKillCommand,
  },
  {
    name: "callbacks list",
    summary: "List the callbacks of running servers",
    load: async () => (await import("../commands/live-state.ts")).callbacksListCommand,
  },
  {
    name: "skills list",
    summary: "List the skills and their problems",
    load: async () => (await import("../commands/skills.ts")).skillsListCommand,
  },
  {
    name: "skills get",
    alias: "skills show",
    summary: "Print a skill as a client gets it",
    load: async () => (await import("../commands/skills.ts")).skillsGetCommand,
  },
  {
    name: "config list",
    summary: "List the configuration",
    load: async () => (await import("../commands/config.ts")).configListCommand,
  },
  {
    name: "config get",
    summary: "Print one value of the configuration",
    load: async () => (await import("../commands/config.ts")).configGetCommand,
  },
  {
    name: "config set",
    summary: "Write a value to a configuration file",
    load: async () => (await import("../commands/config.ts")).configSetCommand,
  },
  {
    name: "config remove",
    alias: "config unset",
    summary: "Remove a value from a configuration file",
    load: async () => (await import("../commands/config.ts")).configRemoveCommand,
  },
  {
    name: "profile list",
    summary: "List the profiles",
    load: async () => (await import("../commands/config.ts")).profileListCommand,
  },
  {
    name: "profile use",
    summary: "Select the active profile",
    load: async () => (await import("../commands/config.ts")).profileUseCommand,
  },
  {
    name: "profile off",
    summary: "Use no profile",
    load: async () => (await import("../commands/config.ts")).profileOffCommand,
  },
  {
    name: "tasks list",
    summary: "List the tasks of the workspace",
    load: async () => (await import("../commands/tasks.ts")).tasksListCommand,
  },
  {
    name: "tasks export",
    summary: "Print the tasks of the workspace as JSON",
    load: async () => (await import("../commands/tasks.ts")).tasksExportCommand,
  },
  {
    name: "tasks import",
    summary: "Add tasks from a file",
    load: async () => (await import("../commands/tasks.ts")).tasksImportCommand,
  },
  {
    name: "hooks list",
    summary: "List the hooks, and why one is not run",
    load: async () => (await import("../commands/hooks.ts")).hooksListCommand,
  },
  {
    name: "hooks approve",
    summary: "Approve hooks of the project",
    load: async () => (await import("../commands/hooks.ts")).hooksApproveCommand,
  },
  {
    name: "hooks revoke",
    summary: "Withdraw the approval of hooks of the project",
    load: async () => (await import("../commands/hooks.ts")).hooksRevokeCommand,
  },
  {
    name: "hooks emit",
    summary: "Run the hooks of an event",
    load: async () => (await import("../commands/hooks.ts")).hooksEmitCommand,
  },
  {
    name: "policy check",
    summary: "Show what the rules would do with a command",
    load: async () => (await import("../commands/policy.ts")).policyCheckCommand,
  },
  {
    name: "policy list",
    summary: "List the rules for calls",
    load: async () => (await import("../commands/policy-list.ts")).policyListCommand,
  },
  {
    name: "token add",
    summary: "Make a token for a client of serve --http",
    load: async () => (await import("../commands/token.ts")).tokenAddCommand,
  },
  {
    name: "token list",
    summary: "List the tokens of serve --http",
    load: async () => (await import("../commands/token-list.ts")).tokenListCommand,
  },
  {
    name: "token revoke",
    summary: "End the tokens of a label",
    load: async () => (await import("../commands/token.ts")).tokenRevokeCommand,
  },
  {
    name: "token rotate",
    summary: "Make a new token in the place of another",
    load: async () => (await import("../commands/token.ts")).tokenRotateCommand,
  },
  ...mcpListings,
  {
    name: "completions",
    summary: "Print a script that completes commands in your shell",
    load: async () => (await import("../commands/completions.ts")).createCompletions(knownCommands),
  },
  {
    name: "version",
    summary: "Print the version",
    load: async () => (await import("../commands/version.ts")).versionCommand,
  },
  {
    name: "help",
    summary: "Explain a command",
    load: async () => (await import("./help.ts")).createHelp(knownCommands),
  },
];

/** For help. */
export const knownCommands: KnownCommands = {
  listings: commandListings,
  groups: commandGroups,
  find: findCommand,
};

/** The first words that listings begin with: `config` of `config get`. */
function commandGroups(): ReadonlySet<string> {
  return new Set(
    commandListings
      .map((listing) => listing.name.split(" "))
      .filter((words) => words.length > 1)
      .map((words) => words[0] ?? ""),
  );
}

/** The longest listing that `words` begin with. */
export function findCommand(words: readonly string[]): CommandListing | undefined {
  const two = words.slice(0, 2).join(" ");
  return (
    commandListings.find(({ name, alias }) => name === two || alias === two) ??
    commandListings.find((listing) => listing.name === words[0])
  );
}
