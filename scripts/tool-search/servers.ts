/** A published MCP server whose tools are part of the benchmark. */
export interface BenchmarkServer {
  /** The name under which a user would configure it. */
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** The script below the package that is the server. */
  readonly script: string;
  readonly args?: readonly string[];
  /** Keys that it wants before it lists its tools; none of them opens anything. */
  readonly env?: Readonly<Record<string, string>>;
}

const reference = (name: string, version: string, more: Partial<BenchmarkServer> = {}) => ({
  name,
  package: `@modelcontextprotocol/server-${name}`,
  version,
  script: "dist/index.js",
  ...more,
});

/** Those that list their tools without an account. */
export const benchmarkServers: readonly BenchmarkServer[] = [
  reference("everything", "2026.8.31"),
  reference("filesystem", "2026.8.31", { args: ["."] }),
  reference("memory", "2026.8.31"),
  reference("sequential-thinking", "2026.8.31"),
  reference("github", "2025.4.8"),
  reference("gitlab", "2025.4.25", { env: { GITLAB_PERSONAL_ACCESS_TOKEN: "none" } }),
  reference("slack", "2025.4.25", { env: { SLACK_BOT_TOKEN: "none", SLACK_TEAM_ID: "none" } }),
  reference("google-maps", "0.6.2", { env: { GOOGLE_MAPS_API_KEY: "none" } }),
  reference("puppeteer", "2025.5.12"),
  reference("brave-search", "0.6.2", { env: { BRAVE_API_KEY: "none" } }),
  reference("postgres", "0.6.2", { args: ["postgresql://127.0.0.1:1/none"] }),
  reference("everart", "0.6.2", { env: { EVERART_API_KEY: "none" } }),
  {
    name: "playwright",
    package: "@playwright/mcp",
    version: "0.0.83",
    script: "cli.js",
    args: ["--headless", "--caps", "vision,pdf,testing,tracing,network,storage"],
  },
  {
    name: "notion",
    package: "@notionhq/notion-mcp-server",
    version: "2.5.2",
    script: "bin/cli.mjs",
    env: { NOTION_TOKEN: "ntn_none" },
  },
  {
    name: "desktop-commander",
    package: "@wonderwhy-er/desktop-commander",
    version: "0.2.52",
    script: "dist/index.js",
  },
  {
    name: "chrome-devtools",
    package: "chrome-devtools-mcp",
    version: "1.11.0",
    script: "build/src/bin/chrome-devtools-mcp.js",
  },
  {
    name: "kubernetes",
    package: "mcp-server-kubernetes",
    version: "4.1.7",
    script: "dist/index.js",
  },
  {
    name: "firecrawl",
    package: "firecrawl-mcp",
    version: "3.22.2",
    script: "dist/index.js",
    env: { FIRECRAWL_API_KEY: "none" },
  },
  {
    name: "exa",
    package: "exa-mcp-server",
    version: "3.4.1",
    script: "dist/stdio.cjs",
    env: { EXA_API_KEY: "none" },
  },
  {
    name: "context7",
    package: "@upstash/context7-mcp",
    version: "4.1.1",
    script: "dist/index.js",
  },
  {
    name: "tavily",
    package: "tavily-mcp",
    version: "0.2.22",
    script: "build/index.js",
    env: { TAVILY_API_KEY: "none" },
  },
  {
    name: "mongodb",
    package: "mongodb-mcp-server",
    version: "3.0.4",
    script: "dist/esm/index.js",
    env: {
      MDB_MCP_CONNECTION_STRING: "mongodb://127.0.0.1:1",
      MDB_MCP_API_CLIENT_ID: "none",
      MDB_MCP_API_CLIENT_SECRET: "none",
    },
  },
  {
    name: "hubspot",
    package: "@hubspot/mcp-server",
    version: "0.4.0",
    script: "dist/index.js",
    env: { PRIVATE_APP_ACCESS_TOKEN: "none" },
  },
  {
    name: "figma",
    package: "figma-developer-mcp",
    version: "0.13.2",
    script: "dist/bin.js",
    args: ["--stdio"],
    env: { FIGMA_API_KEY: "none" },
  },
  {
    name: "airtable",
    package: "airtable-mcp-server",
    version: "1.14.0",
    script: "dist/main.js",
    env: { AIRTABLE_API_KEY: "none.none" },
  },
];
