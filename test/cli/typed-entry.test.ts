import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "bun:test";

import { TempTree } from "../config/temp-tree.ts";
import { runIn } from "./fake-io.ts";

const project = "project/.scorpiox/config.toml";
const global = "home/.scorpiox/config.toml";

/**
 * Lines as servers publish them for `claude mcp add`, and as people type them; `|` stands between words where blanks are
 * part of one. Then the file and the entry.
 */
const lines: readonly (readonly [line: string, file: string, entry: string])[] = [
  ["add docs https://mcp.docs.test/mcp", project, 'url = "https://mcp.docs.test/mcp"'],
  [
    "add --transport http docs https://mcp.docs.test/mcp",
    project,
    'url = "https://mcp.docs.test/mcp"',
  ],
  [
    "add -s user -t sse linear https://mcp.linear.test/sse",
    global,
    'url = "https://mcp.linear.test/sse"',
  ],
  [
    "add|docs|https://mcp.docs.test/mcp|--header|DOCS_API_KEY: ${KEY}|--scope|user",
    global,
    'url = "https://mcp.docs.test/mcp"\nheaders = { DOCS_API_KEY = "${KEY}" }',
  ],
  [
    "add|--header|A: ${B}|C: ${D}|--transport|http|docs|https://mcp.docs.test/mcp",
    project,
    'url = "https://mcp.docs.test/mcp"\nheaders = { A = "${B}", C = "${D}" }',
  ],
  [
    "add|-H|Authorization: Bearer ${T}|docs|--transport=http|https://mcp.docs.test/mcp",
    project,
    'url = "https://mcp.docs.test/mcp"\nheaders = { Authorization = "Bearer ${T}" }',
  ],
  [
    "add --transport http --client-id 16.89 --callback-port 3118 slack https://mcp.slack.test/mcp",
    project,
    'url = "https://mcp.slack.test/mcp"\noauth = { client_id = "16.89", redirect_port = 3118 }',
  ],
  [
    "add play npx @playwright/mcp@latest",
    project,
    'command = "npx"\nargs = ["@playwright/mcp@latest"]',
  ],
  [
    "add chrome --scope user npx chrome-devtools-mcp@latest",
    global,
    'command = "npx"\nargs = ["chrome-devtools-mcp@latest"]',
  ],
  [
    "add chrome npx chrome-mcp@latest -s user",
    global,
    'command = "npx"\nargs = ["chrome-mcp@latest"]',
  ],
  [
    "add fs npx -y @modelcontextprotocol/server-filesystem --scope user",
    project,
    'command = "npx"\nargs = ["-y", "@modelcontextprotocol/server-filesystem", "--scope", "user"]',
  ],
  [
    "add db --transport stdio node /srv/db/index.js --env A=${A} --env B=${B}",
    project,
    'command = "node"\nargs = ["/srv/db/index.js"]\nenv = { A = "${A}", B = "${B}" }',
  ],
  [
    "add docs -s local -- npx -y @docs/mcp --api-key ${KEY}",
    project,
    'command = "npx"\nargs = ["-y", "@docs/mcp", "--api-key", "${KEY}"]',
  ],
  [
    "add github -e GITHUB_TOKEN=${T} -- docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server",
    project,
    'command = "docker"\nargs = ["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server"]\nenv = { GITHUB_TOKEN = "${T}" }',
  ],
  [
    "add -e A=1 -e B=2 air -- npx -y airtable-mcp-server",
    project,
    'command = "npx"\nargs = ["-y", "airtable-mcp-server"]\nenv = { A = "1", B = "2" }',
  ],
  [
    "add --transport stdio air --env A=1 B=2 -- npx -y airtable-mcp-server",
    project,
    'command = "npx"\nargs = ["-y", "airtable-mcp-server"]\nenv = { A = "1", B = "2" }',
  ],
  [
    "add --roots workspace fs npx fs-server",
    project,
    'command = "npx"\nargs = ["fs-server"]\nroots = "workspace"',
  ],
  [
    "add docs https://mcp.docs.test/mcp --roots src --roots none",
    project,
    'url = "https://mcp.docs.test/mcp"\nroots = ["src", "none"]',
  ],
  [
    "add serena -- uvx --from git+https://github.test/serena serena start --context ide",
    project,
    'command = "uvx"\nargs = ["--from", "git+https://github.test/serena", "serena", "start", "--context", "ide"]',
  ],
  [
    "add win -- cmd /c npx -y @some/package",
    project,
    'command = "cmd"\nargs = ["/c", "npx", "-y", "@some/package"]',
  ],
  [
    'add-json|-s|user|gh|{"type":"http","url":"https://api.gh.test/mcp","headers":{"X":"${Y}"}}',
    global,
    'url = "https://api.gh.test/mcp"\nheaders = { X = "${Y}" }',
  ],
];

test.each(lines)("mcp %s", async (line, file, entry) => {
  using tree = new TempTree();
  const words = line.split(line.includes("|") ? "|" : " ");
  const { exitCode, stderr } = await runIn(tree, ["mcp", ...words]);
  expect({ exitCode, warnings: stderr.match(/warning|error/g) }).toEqual({
    exitCode: 0,
    warnings: null,
  });
  const [, written] = readFileSync(tree.path(file), "utf8").split(/\[mcp\.servers\.[a-z]+\]\n/);
  expect(written?.trimEnd()).toBe(entry);
  expect(existsSync(tree.path(file === global ? project : global))).toBe(false);
});

test.each<[readonly string[]]>([
  [["rm", "x"]],
  [["rm", "-s", "local", "x"]],
  [["remove", "x", "--scope", "project"]],
])("mcp %j takes the server out", async (words) => {
  using tree = new TempTree();
  await runIn(tree, ["mcp", "add", "x", "--", "c"]);
  const { exitCode } = await runIn(tree, ["mcp", ...words]);
  expect([exitCode, existsSync(tree.path(project))]).toEqual([0, false]);
});
