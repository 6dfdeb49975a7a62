import { expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";

import { runIn } from "../cli/fake-io.ts";
import { TempTree } from "../config/temp-tree.ts";

const servers = {
  q: {
    command: "x",
    args: ["--api-key", "s3cretArg", "--port", "80"],
    env: { MY_KEY: "s3cretKey", DB_PASS: 's3cret"Pass', AUTH: "s3cretAuth", HOST: "example.test" },
  },
  r: { url: "https://u:s3cretUser@example.test/mcp?key=s3cretQuery" },
};

test.each([
  ["cursor", "home/.cursor/mcp.json", JSON.stringify({ mcpServers: servers }, undefined, 1)],
  ["cursor", "home/.cursor/mcp.json", JSON.stringify({ mcpServers: servers })],
  [
    "codex",
    "home/.codex/config.toml",
    '[mcp_servers.q]\ncommand = "x"\nargs = [\n  "--api-key",\n  "s3cretArg",\n  "--port", "80"]\nenv = { MY_KEY = "s3cretKey", HOST = "example.test" }\n',
  ],
  [
    "goose",
    "home/.config/goose/config.yaml",
    "extensions:\n  q:\n    cmd: x\n    args:\n      - --api-key\n      - s3cretArg\n    envs:\n      MY_KEY: s3cretKey\n      HOST: example.test\n",
  ],
])("[IN5] no preview of %s prints the secrets around the entry", async (id, file, text) => {
  using tree = new TempTree({ [file]: text });
  for (const words of [[], ["--json"], ["--move"], ["--move", "--json"]]) {
    const { stdout, stderr } = await runIn(tree, ["install", id, "--dry-run", ...words]);
    expect(stdout + stderr).not.toContain("s3cret");
    expect(stdout).toContain("scorpiox-code");
  }
});

test("[IN8] secrets of servers are never in the words of Claude Code's command", async () => {
  const entry = { type: "stdio", command: "git-mcp", env: { GITHUB_TOKEN: "s3cret" } };
  const file = "home/.claude.json";
  using tree = new TempTree({
    [file]: JSON.stringify({ mcpServers: { git: entry } }),
    "home/bin/claude": "#!/bin/sh\n",
  });
  chmodSync(tree.path("home/bin/claude"), 0o755);
  const ran: string[] = [];
  const input = {
    env: { PATH: tree.path("home/bin") },
    services: {
      runProgram: async (words: readonly string[]) => {
        ran.push(words.join(" "));
        const root = JSON.parse(readFileSync(tree.path(file), "utf8"));
        const [, , action, , , name = "", json = ""] = words;
        if (action === "add-json") root.mcpServers[name] = JSON.parse(json);
        else delete root.mcpServers[name];
        writeFileSync(tree.path(file), JSON.stringify(root));
        return { exitCode: 0, output: "" };
      },
    },
  };
  expect(await runIn(tree, ["install", "claude-code", "--move", "--yes"], input)).toMatchObject({
    exitCode: 0,
  });
  const shown = await runIn(tree, ["undo", "--dry-run"], input);
  expect(shown.stdout).not.toContain("s3cret");
  expect(await runIn(tree, ["undo", "--yes"], input)).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(readFileSync(tree.path(file), "utf8"))).toEqual({ mcpServers: { git: entry } });
  expect(ran.join("\n")).not.toContain("s3cret");
});
