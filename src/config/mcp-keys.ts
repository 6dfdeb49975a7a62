import { booleanValue, type ConfigKey, integerValue, type ValueType } from "./value-types.ts";

const serverTextCharsMax = 64 * 1024;

/** Errors inside it are reported when the servers are read: one bad entry does not affect the others. */
const serverTextValue: ValueType<string> = {
  name: "text",
  allowed: `a text of at most ${serverTextCharsMax} characters`,
  parse: (text) => (text.length <= serverTextCharsMax ? text : undefined),
};

/** Relative to the file that holds it, so it is resolved where the servers are read. */
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
 * Keys that name servers. A project may have them: its servers do not start before the user has approved them. An empty value
 * is ignored and overrides no weaker one.
 */
const namesServers = { project: "set", published: true, isEachLevels: true } as const;

export const mcpKey: ConfigKey<boolean> = {
  name: "MCP",
  type: booleanValue,
  default: true,
  whenBad: "false",
  help: "Offer the tools of the configured MCP servers. Off: none is read, started or listed.",
  project: "narrow",
  published: true,
};

export const mcpServerKey: ConfigKey<string> = {
  name: "MCP_SERVER",
  type: serverTextValue,
  help: "MCP servers: name:command:arg1,arg2;name2:https://example.com/mcp. Servers of all files are used.",
  ...namesServers,
};

export const mcpConfigKey: ConfigKey<string> = {
  name: "MCP_CONFIG",
  type: serverPathValue,
  help: "A file with MCP servers, such as mcp_servers.json. Servers of all files are used.",
  ...namesServers,
};

export const mcpFileKey: ConfigKey<string> = {
  name: "MCP_FILE",
  type: serverPathValue,
  help: "A file with MCP servers, read in place of the project's .mcp.json.",
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
  help: "Tools of MCP servers to deny, written as in MCP_ALLOW. The lists of all files are merged.",
  ...namesServers,
};

export const mcpServerNameKey: ConfigKey<string> = {
  name: "MCP_SERVER_NAME",
  type: serverNameValue,
  default: "scorpiox-code",
  help: "The name that clients have for scorpiox-code and put before the names of tools.",
  project: "never",
  published: true,
};

export const maxToolNameKey: ConfigKey<number> = {
  name: "MAX_TOOL_NAME",
  type: integerValue(32, 128),
  unit: "characters",
  help: "Longest exposed name of an upstream tool. Default: 64 less the prefix of clients, 44.",
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
