import { expect, test } from "bun:test";

import { knownServerOf } from "../../../src/upstream/config/known-servers.ts";

function known(command: string, ...args: string[]): ReturnType<typeof knownServerOf> {
  return knownServerOf({ transport: "stdio", command, args, env: {} });
}

test.each([
  ["npx -y @playwright/mcp@latest --isolated", "Playwright"],
  ["npx @playwright/mcp", "Playwright"],
  ["docker run -i --rm mcp/playwright:latest", "Playwright"],
  ["mcp-server-playwright", "Playwright"],
  ["npx -y chrome-devtools-mcp@0.5.1", "Chrome DevTools"],
  ["npx -y @modelcontextprotocol/server-puppeteer", "Puppeteer"],
  ["uvx browser-use[cli]==0.7 --mcp", "Browser Use"],
  ["uvx mcp-gdb", "a debugger"],
  ["uvx jupyter-mcp-server@latest", "Jupyter"],
  ["npx -y @wonderwhy-er/desktop-commander@latest", "Desktop Commander"],
  ["npx -y @modelcontextprotocol/server-sequential-thinking", "Sequential Thinking"],
  ["C:\\tools\\chrome-devtools-mcp.cmd", "Chrome DevTools"],
  ["node /opt/x/node_modules/@playwright/mcp/cli.js", "Playwright"],
  ["/usr/local/bin/mcp-gdb", "a debugger"],
])("HB4: %s keeps the state of a conversation", (line, name) => {
  const [command = "", ...args] = line.split(" ");
  const found = known(command, ...args);
  expect([found?.name, typeof found?.keeps, found?.shareable]).toEqual([name, "string", undefined]);
});

test.each([
  "uvx mcp-server-fetch",
  "uvx mcp-server-time --local-timezone=Europe/Rome",
  "docker run -i --rm mcp/fetch",
  "npx -y @upstash/context7-mcp@latest",
  "docker run -i ghcr.io/github/github-mcp-server",
  "npx -y tavily-mcp@0.2.4",
  "npx -y @modelcontextprotocol/server-brave-search",
])("HB3: %s could be shared over workspaces", (line) => {
  const [command = "", ...args] = line.split(" ");
  const found = known(command, ...args);
  expect([typeof found?.shareable, found?.keeps, found?.exclusive]).toEqual([
    "string",
    undefined,
    undefined,
  ]);
});

test.each([
  "npx -y @modelcontextprotocol/server-memory",
  "uvx mcp-server-sqlite --db-path a.db",
  "uvx mcp-server-qdrant",
  "npx @playwright/mcp",
])("HB8: %s is exclusive", (line) => {
  const [command = "", ...args] = line.split(" ");
  expect(typeof known(command, ...args)?.exclusive).toBe("string");
});

test.each([
  "npx -y @modelcontextprotocol/server-filesystem /home/me/playwright-project",
  "node /srv/my-fetch-server.js",
  "npx -y @modelcontextprotocol/server-filesystem /home/me/playwright",
  "npx -y @modelcontextprotocol/server-filesystem ./puppeteer",
  "uvx some-server --engine=puppeteer-core",
  "npx -y my-chrome-devtools-mcp-fork",
])("%s is not known", (line) => {
  const [command = "", ...args] = line.split(" ");
  expect(known(command, ...args)).toBeUndefined();
});

test("a server over HTTP is not known by its address", () => {
  const url = "https://example.com/@playwright/mcp";
  expect(knownServerOf({ transport: "http", url, headers: {} })).toBeUndefined();
});
