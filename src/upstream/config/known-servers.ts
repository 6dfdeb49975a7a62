import { win32 } from "node:path";

import type { ServerLaunch } from "./server-entry.ts";

/** Facts about a server by its program. Each member is a reason: the end of a sentence about the server. */
export interface KnownServer {
  /** A short name for people. */
  readonly name: string;
  /** It keeps the state of one conversation, so each client has its own process unless its entry says otherwise. */
  readonly keeps?: string;
  /** Its entry could say `isolation = "shared"`: clients of all workspaces would then have one process. */
  readonly shareable?: string;
  /** Two processes of it do not run beside each other: when the hub is replaced, the old process ends first. */
  readonly exclusive?: string;
}

interface Row extends KnownServer {
  /** Matched with the name of the package, image or program, in lower case and without its version. */
  readonly program: RegExp;
}

const browser = "it has one browser, whose pages belong to a conversation";
const debuggee = "it has one debugged program, which belongs to a conversation";
const values = "it keeps the values and the folder of one interpreter";
const terminals = "it keeps the terminals of a conversation";
const requests = "it only makes requests whose answers do not depend on the project";

const rows: readonly Row[] = [
  {
    name: "Playwright",
    program:
      /(?:^|\/)(?:@playwright\/mcp|mcp-server-playwright|playwright(?:-mcp(?:-server)?|\/mcp)?)$/,
    keeps: browser,
    exclusive: "a browser profile can be open in one process only",
  },
  {
    name: "Chrome DevTools",
    program: /(?:^|\/)chrome-devtools-mcp$/,
    keeps: browser,
    exclusive: "a browser profile can be open in one process only",
  },
  {
    name: "Puppeteer",
    program: /(?:^|\/)(?:server-puppeteer|puppeteer(?:-mcp(?:-server)?)?)$/,
    keeps: browser,
  },
  {
    name: "Browser Use",
    program:
      /(?:^|\/)(?:browser-use|browser-use-mcp(?:-server)?|mcp-browser-use|mcp-server-browser-use)$/,
    keeps: browser,
  },
  {
    name: "Browser MCP",
    program: /(?:^|\/)(?:@browsermcp\/mcp|browser-tools-mcp|mcp-server-browserbase)$/,
    keeps: browser,
    exclusive: "the extension in the browser talks to one port",
  },
  {
    name: "Selenium",
    program: /(?:^|\/)(?:mcp-selenium|selenium-mcp(?:-server)?)$/,
    keeps: browser,
  },
  {
    name: "Mobile",
    program: /(?:^|\/)(?:mobile-mcp|appium-mcp|mcp-appium)$/,
    keeps: "it drives one device, whose screen belongs to a conversation",
    exclusive: "a device can be driven by one process only",
  },
  {
    name: "a debugger",
    program:
      /(?:^|\/)(?:mcp-debugger|mcp-gdb|gdb-mcp(?:-server)?|lldb-mcp|mcp-lldb|mcp-pdb|xdebug-mcp|dap-mcp)$/,
    keeps: debuggee,
  },
  {
    name: "Jupyter",
    program: /(?:^|\/)(?:jupyter-mcp-server|mcp-server-jupyter|mcp-jupyter)$/,
    keeps: "it keeps the kernel of one notebook",
  },
  {
    name: "an interpreter",
    program:
      /(?:^|\/)(?:mcp-python-interpreter|mcp-run-python|mcp-server-repl|mcp-repl|node-repl-mcp|mcp-python-repl)$/,
    keeps: values,
  },
  {
    name: "Desktop Commander",
    program: /(?:^|\/)(?:desktop-commander|desktopcommandermcp)$/,
    keeps: terminals,
  },
  {
    name: "a shell",
    program:
      /(?:^|\/)(?:iterm-mcp|tmux-mcp|mcp-tmux|ssh-mcp|mcp-ssh|mcp-server-ssh|mcp-shell|mcp-server-shell)$/,
    keeps: terminals,
  },
  {
    name: "Sequential Thinking",
    program: /(?:^|\/)(?:server-sequential-thinking|mcp-sequential-thinking|sequentialthinking)$/,
    keeps: "it keeps the thoughts of one conversation",
  },
  {
    name: "Serena",
    program: /(?:^|\/)serena(?:-mcp-server)?$/,
    keeps: "a conversation chooses the project that is active in it",
  },
  {
    name: "Memory",
    program: /(?:^|\/)(?:server-memory|mcp-server-memory)$/,
    exclusive: "it writes one file as a whole",
  },
  {
    name: "SQLite",
    program: /(?:^|\/)(?:mcp-server-sqlite(?:-npx)?|server-sqlite|mcp-sqlite)$/,
    exclusive: "it writes one database file",
  },
  {
    name: "DuckDB",
    program: /(?:^|\/)(?:mcp-server-motherduck|mcp-server-duckdb)$/,
    exclusive: "a database file can be open for writing in one process only",
  },
  {
    name: "Qdrant",
    program: /(?:^|\/)mcp-server-qdrant$/,
    exclusive: "a local database folder can be open in one process only",
  },
  {
    name: "Fetch",
    program: /(?:^|\/)(?:mcp-server-fetch|fetch-mcp|mcp\/fetch)$/,
    shareable: requests,
  },
  {
    name: "Time",
    program: /(?:^|\/)(?:mcp-server-time|time-mcp|mcp\/time)$/,
    shareable: "its answers do not depend on the project",
  },
  { name: "Context7", program: /(?:^|\/)context7(?:-mcp)?$/, shareable: requests },
  {
    name: "GitHub",
    program: /(?:^|\/)(?:server-github|github-mcp-server)$/,
    shareable: requests,
  },
  { name: "GitLab", program: /(?:^|\/)server-gitlab$/, shareable: requests },
  {
    name: "a web search",
    program:
      /(?:^|\/)(?:server-brave-search|brave-search-mcp-server|tavily-mcp|exa-mcp-server|firecrawl-mcp|kagimcp|server-perplexity-ask|duckduckgo-mcp-server|mcp-searxng)$/,
    shareable: requests,
  },
  {
    name: "a documentation search",
    program:
      /(?:^|\/)(?:awslabs\.aws-documentation-mcp-server|wikipedia-mcp|mcp-server-deepwiki|mcp-deepwiki)$/,
    shareable: requests,
  },
  {
    name: "an online service",
    program:
      /(?:^|\/)(?:notion-mcp-server|server-slack|slack-mcp-server|mcp-server-sentry|@sentry\/mcp-server|server-google-maps|figma-developer-mcp|mcp-atlassian|mcp-linear)$/,
    shareable: requests,
  },
];

/**
 * Facts about the server of a launch; undefined for an unknown server. @param launch as written or filled in; only
 * its command and arguments are looked at
 */
export function knownServerOf(launch: ServerLaunch): KnownServer | undefined {
  if (launch.transport === "http") return undefined;
  const words = [win32.basename(launch.command), launch.command, ...launch.args].map(packageName);
  return rows.find(({ program }) => words.some((word) => program.test(word)));
}

/**
 * A word of a command line as the name of a package, without version, tag and file extension: `@a/b@1.2`,
 * `mcp/b:latest`, `/x/node_modules/@a/b/cli.js`. Empty for another path.
 */
function packageName(word: string): string {
  const text = word.toLowerCase().replaceAll("\\", "/");
  const [, inModules] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(text) ?? [];
  if (inModules !== undefined) return inModules;
  if (/^(?:[a-z]:)?[./~]/.test(text)) return "";
  return text
    .replace(/\.(?:exe|cmd|js|mjs|py)$/, "")
    .replace(/(?<=.)@[^/@]*$/, "")
    .replace(/(?<=[a-z]):[^/:]*$/, "")
    .replace(/(?<=[a-z])(?:\[[^\]]*\])?(?:[=~<>!]=.*)$/, "");
}
