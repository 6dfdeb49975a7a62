import { describe, expect, test } from "bun:test";

import { runIn } from "../fake-io.ts";
import { TempTree } from "../../config/temp-tree.ts";

const files = {
  "home/.scorpiox/config.toml":
    '[mcp.servers.memory]\ncommand = "npx"\n\n[mcp.servers.docs]\nurl = "https://docs.test/mcp"\n',
  "home/.scorpiox/scorpiox-env/work.txt": "MODEL=opus\n",
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

test("a real bash completes names, broken words and paths", async () => {
  using tree = new TempTree({ "home/some file.txt": "" });
  const main = `${import.meta.dir}/../../../src/main.ts`;
  const rows = ["unin", "install --scope = p", "tasks import some"];
  const script = [
    `scorpiox-code() { ${process.execPath} ${main} "$@"; }`,
    "source <(scorpiox-code completions bash)",
    ...rows.map((row) =>
      [
        `COMP_WORDS=(scorpiox-code ${row})`,
        `COMP_CWORD=${row.split(" ").length}`,
        "_scorpiox_code",
        "printf '%s\\n' \"${COMPREPLY[@]}\"",
      ].join("\n"),
    ),
  ];
  const env = { ...process.env, HOME: tree.path("home") };
  const child = Bun.spawn(["bash", "-c", script.join("\n")], {
    env,
    cwd: tree.path("home"),
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect({ stdout, stderr }).toEqual({ stdout: "uninstall\nproject\nsome file.txt\n", stderr: "" });
});
