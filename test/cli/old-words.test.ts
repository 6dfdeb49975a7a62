import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";

import { commandListings } from "../../src/cli/run/registry.ts";
import { TempTree } from "../config/temp-tree.ts";
import { runIn } from "./fake-io.ts";

const server = "[mcp.servers.a]\ncommand = 'a'\n";
const keys = "STREAMING=off\n";
const files = {
  "home/.scorpiox/config.toml": server,
  "home/.scorpiox/scorpiox-env.txt": keys,
  "home/.claude/scorpiox-env.txt": keys,
  "home/.scorpiox/scorpiox-env/work.txt": "",
  "project/.scorpiox/config.toml": server,
  "project/.scorpiox/scorpiox-env.txt": keys,
  "project/.cursor/mcp.json": "{}\n",
  "home/.cursor/mcp.json": "{}\n",
  "project/.git/HEAD": "",
};

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** What a command line does: to its files, and what it says. */
async function effectOf(line: string): Promise<unknown> {
  using tree = new TempTree(files);
  const { exitCode, stdout, stderr } = await runIn(tree, line.split(" "), { stdin: ["s3cret"] });
  return {
    exitCode,
    stdout,
    stderr,
    after: Object.keys(files).map((file) => textOf(tree.path(file))),
  };
}

describe("an old word does the same as the present one", () => {
  test.each<[old: string, now: string]>([
    ["mcp rm a", "mcp remove a"],
    ["mcp rm a -s global", "mcp remove a --scope user"],
    ["mcp remove a -s local", "mcp remove a -s project"],
    ["mcp add b -s global -- b", "mcp add b --scope user -- b"],
    ["mcp add b --scope=local -- b", "mcp add b --scope=project -- b"],
    ["mcp secrets rm x", "mcp secrets remove x"],
    ["config unset STREAMING", "config remove STREAMING"],
    ["config unset STREAMING --level user", "config remove STREAMING --scope claude"],
    ["config set TOOLS off --level global", "config set TOOLS off --scope user"],
    ["config set TOOLS off --level=project", "config set TOOLS off --scope project"],
    ["config set TOOLS off --scope global", "config set TOOLS off -s user"],
    ["config set TOOLS off --scope local", "config set TOOLS off --scope project"],
    ["config get STREAMING --level user", "config get STREAMING --scope claude"],
    ["config list --level global", "config list --scope user"],
    ["profile use work --level user", "profile use work --scope claude"],
    ["profile off --level global", "profile off --scope user"],
    ["install cursor --scope global --dry-run", "install cursor --scope user --dry-run"],
    ["install cursor -s local --dry-run", "install cursor --scope project --dry-run"],
    ["skills show x", "skills get x"],
  ])("%s", async (old, now) => {
    const [before, after] = [await effectOf(old), await effectOf(now)];
    expect(before).toEqual(after);
    expect(JSON.stringify(after)).not.toContain("There is no flag");
  });

  test("mcp login --scope is --oauth-scope", async () => {
    const { mcpLoginCommand } = await import("../../src/cli/commands/mcp-login.ts");
    const { parseArguments } = await import("../../src/cli/flags.ts");
    const words = ["--scope", "read", "--oauth-scope=write", "--scope=all"];
    const parsed = parseArguments(["x", ...words], mcpLoginCommand.flags);
    expect(parsed.list("oauth-scope")).toEqual(["read", "write", "all"]);
  });
});

describe("help and completions have one word for each thing", () => {
  const olds = /\b(rm|unset|--level|global)\b|skills show|--scope SCOPE/;

  test("no page of help has an old one", async () => {
    using tree = new TempTree();
    const pages = [[], ...commandListings.map(({ name }) => name.split(" "))];
    const found: string[] = [];
    for (const page of pages) {
      const { stdout } = await runIn(tree, ["help", ...page], { columns: 100 });
      const lines = stdout.split("\n").filter((line) => olds.test(line));
      found.push(...lines.map((line) => `${page.join(" ")}: ${line}`));
    }
    expect(found).toEqual([]);
  });

  test.each([
    "config ",
    "mcp ",
    "skills ",
    "config set --",
    "config set --scope ",
    "mcp add --scope ",
    "install --scope ",
    "mcp secrets ",
    "mcp login --",
  ])("completions of %s have none", async (line) => {
    const words = line.split(" ");
    using tree = new TempTree();
    const { stdout } = await runIn(tree, ["completions", "--complete", "--", ...words]);
    const values = stdout.split("\n").map((line) => line.split("\t", 1)[0] ?? "");
    const old = /^(rm|unset|show|--level|global|local)$/;
    expect(values.filter((value) => old.test(value))).toEqual([]);
  });
});
