import { booleanValue, type ConfigKey, integerValue, type ValueType } from "./value-types.ts";

const serverTextCharsMax = 64 * 1024;

/** What is wrong inside of it is told when the servers are read: one bad entry takes no other along. */
const serverTextValue: ValueType<string> = {
  name: "text",
  allowed: `a text of at most ${serverTextCharsMax} characters`,
  parse: (text) => (text.length <= serverTextCharsMax ? text : undefined),
};

/** Relative to the file that holds it, so what it means is known where the servers are read. */
const serverPathValue: ValueType<string> = {
  name: "path",
  allowed: "a path: absolute, relative to this file, or one that begins with ~/",
  parse: (text) => (text.includes("\0") ? undefined : text),
};

const serverNameValue: ValueType<string> = {
  name: "name",
  allowed: "1 to 32 letters, digits, - or _",
  parse: (text) => (/^[A-Za-z0-9_-]{1,32}$/.test(text) ? text : undefined),
};

/**
 * Keys that name servers. A project may have them: what it names does not start before the user has approved it.
 * An empty value is none, and hides no weaker one.
 */
const namesServers = { project: "set", published: true, isEachLevels: true } as const;

export const mcpKey: ConfigKey<boolean> = {
  name: "MCP",
  type: booleanValue,
  default: true,
  whenBad: "false",
  help: "Offer the tools of other MCP servers, where some are configured. Off: none is read, started or listed.",
  project: "narrow",
  published: true,
};

export const mcpServerKey: ConfigKey<string> = {
  name: "MCP_SERVER",
  type: serverTextValue,
  help: "Other MCP servers: name:command:arg1,arg2;name2:https://example.com/mcp. Those of all files count.",
  ...namesServers,
};

export const mcpConfigKey: ConfigKey<string> = {
  name: "MCP_CONFIG",
  type: serverPathValue,
  help: "A file with other MCP servers, such as mcp_servers.json. Those of all files count.",
  ...namesServers,
};

export const mcpFileKey: ConfigKey<string> = {
  name: "MCP_FILE",
  type: serverPathValue,
  help: "A file with other MCP servers, read in place of the project's .mcp.json.",
  ...namesServers,
};

export const mcpAllowKey: ConfigKey<string> = {
  name: "MCP_ALLOW",
  type: serverTextValue,
  help: "The only tools of a server that may be used: server:glob,glob;server2:glob. Without a server: names such as mcp__github__*.",
  project: "never",
  published: true,
  isEachLevels: true,
};

export const mcpDenyKey: ConfigKey<string> = {
  name: "MCP_DENY",
  type: serverTextValue,
  help: "Tools of MCP servers to forbid, written as in MCP_ALLOW. All files add to the list.",
  ...namesServers,
};

export const mcpServerNameKey: ConfigKey<string> = {
  name: "MCP_SERVER_NAME",
  type: serverNameValue,
  default: "scorpiox-code",
  help: "The name under which clients have this server: they put it before the names of tools.",
  project: "never",
  published: true,
};

export const maxToolNameKey: ConfigKey<number> = {
  name: "MAX_TOOL_NAME",
  type: integerValue(32, 128),
  unit: "characters",
  help: "Longest name of another server's tool. Default: 64 less what clients put before it, 44.",
  project: "never",
  published: false,
};

export const mcpKeys: readonly ConfigKey[] = [
  mcpKey,
  mcpServerKey,
  mcpConfigKey,
  mcpFileKey,
  mcpAllowKey,
  mcpDenyKey,
  mcpServerNameKey,
  maxToolNameKey,
];
