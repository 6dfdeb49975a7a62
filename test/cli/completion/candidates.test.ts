import { describe, expect, test } from "bun:test";

import { runIn } from "../fake-io.ts";
import { TempTree } from "../../config/temp-tree.ts";

const files = {
  "home/.scorpiox/config.toml":
    '[mcp.servers.memory]\ncommand = "npx"\n\n[mcp.servers.docs]\nurl = "https://docs.test/mcp"\n',
  "home/.scorpiox/scorpiox-env/work.txt": "MODEL=opus\n",
  "home/.scorpiox/skills/review-notes/SKILL.md":
    "---\nname: review-notes\ndescription: Reviews notes.\n---\nRead them.\n",
  "project/.scorpiox/hooks/tool_use/lint.sh": "#!/bin/sh\n",
};

async function candidates(...words: readonly string[]): Promise<readonly string[]> {
  using tree = new TempTree(files);
  const { stdout, stderr } = await runIn(tree, ["completions", "--complete", "--", ...words]);
  expect(stderr).toBe("");
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t", 1)[0] ?? "");
}

describe("completions --complete", () => {
  test.each<[readonly string[], readonly string[]]>([
    [["unins"], ["uninstall"]],
    [
      ["mcp", "add"],
      ["add", "add-json"],
    ],
    [["mcp", "add", ""], [":files"]],
    [["conf"], ["config"]],
    [
      ["install", "claude-"],
      ["claude-desktop", "claude-code"],
    ],
    [["install", "cursor", "cu"], [""]],
    [["undo", "cursor", "ze"], ["zed"]],
    [["undo", "--a"], ["--all"]],
    [["install", "--scope", "p"], ["project"]],
    [["install", "-s", "u"], ["user"]],
    [["install", "--scope=p"], ["--scope=project"]],
    [
      ["install", "--scope", "="],
      ["user", "project"],
    ],
    [["install", "--scope", "=", "p"], ["project"]],
    [["install", "--scope", "user", "--sc"], [""]],
    [["install", "--dr"], ["--dry-run"]],
    [
      ["mcp", "get", ""],
      ["docs", "memory"],
    ],
    [["mcp", "test", "me"], ["memory"]],
    [["call", "Back"], ["BackgroundBash"]],
    [["call", "Bash", ""], [":files"]],
    [
      ["config", "get", "HOOKS_"],
      ["HOOKS_ENABLED", "HOOKS_TIMEOUT"],
    ],
    [["config", "set", "MODEL", ""], [":files"]],
    [["profile", "use", ""], ["work"]],
    [["completions", "p"], ["powershell"]],
    [["mcp", "add", "x", "--", "np"], [":files"]],
    [
      ["config", "set", "-"],
      ["--scope", "--cwd", "--verbose", "--help"],
    ],
    [
      ["config", "set", "--scope", ""],
      ["user", "claude", "project"],
    ],
    [["config", "set", "-s", "c"], ["claude"]],
    [
      ["config", "get", "--level", ""],
      ["user", "claude", "project"],
    ],
    [["profile", "use", "--scope=c"], ["--scope=claude"]],
    [
      ["mcp", "remove", "-s", ""],
      ["project", "user"],
    ],
    [["mcp", "rm", "me"], ["memory"]],
    [["tools", "--server", "d"], ["docs"]],
    [["mcp", "tools", "--server=d"], ["--server=docs"]],
    [["policy", "check", "--tool", "Read"], ["ReadDocs"]],
    [["search", "--engine", "duck"], ["duckduckgo"]],
    [["serve", "--client", "claude-c"], ["claude-code"]],
    [["doctor", "--as", "z"], ["zed"]],
    [["mcp", "call", "memory", ""], [""]],
    [["mcp", "call", "memory", "add", ""], [":files"]],
    [["mcp", "secrets", "re"], ["remove"]],
    [["mcp", "secrets", "remove", ""], [":files"]],
    [["hooks", "approve", ""], ["tool_use/lint.sh"]],
    [["hooks", "emit", "session_s"], ["session_start"]],
    [["skills", "get", "rev"], ["review-notes"]],
    [["help", "unin"], ["uninstall"]],
    [
      ["help", "profile", ""],
      ["list", "use", "off"],
    ],
    [["version", ""], [""]],
    [["nonsense", ""], [""]],
    [["--cli"], ["--client"]],
  ])("%j", async (words, expected) => {
    const found = await candidates(...words);
    expect(new Set(found)).toEqual(new Set(expected));
  });

  test("each candidate has its first sentence", async () => {
    using tree = new TempTree();
    const { stdout } = await runIn(tree, ["completions", "--complete", "--", "install", "--cr"]);
    expect(stdout).toBe("--create\tCreate the file of a client of which there is no sign here\n");
  });
});

test("no candidate prints secrets of servers, or breaks the lines of its shell", async () => {
  using tree = new TempTree({
    "home/.scorpiox/config.toml":
      '[mcp.servers.u]\nurl = "https://me:s3cret@example.test/mcp?api_key=s3cret"\n' +
      '[mcp.servers.c]\ncommand = "x\\ty\\n:files"\n',
    "home/.scorpiox/scorpiox-env/a\nb.txt": "",
    "home/.scorpiox/scorpiox-env/good.txt": "",
  });
  const ask = ["completions", "--complete", "--"];
  const servers = await runIn(tree, [...ask, "mcp", "get", ""]);
  expect(servers.stdout).toBe(
    "u\thttps://***@example.test/mcp?api_key=***\nc\tx\\u{9}y\\u{a}:files\n",
  );
  const profiles = await runIn(tree, [...ask, "profile", "use", ""]);
  expect(profiles.stdout).toBe("good\n");
});

describe("completions", () => {
  test.each(["bash", "zsh", "fish", "nushell", "powershell"])(
    "%s gets a script that asks for candidates",
    async (shell) => {
      using tree = new TempTree();
      const { exitCode, stdout } = await runIn(tree, ["completions", shell]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain("completions --complete");
    },
  );

  test("another word is refused with the shells that there are", async () => {
    using tree = new TempTree();
    const { exitCode, stderr } = await runIn(tree, ["completions", "bsh"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      "Name one shell: bash, zsh, fish, nushell, powershell. Did you mean bash?",
    );
  });
});
