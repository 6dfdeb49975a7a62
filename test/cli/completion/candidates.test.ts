import { describe, expect, test } from "bun:test";

import { runIn } from "../fake-io.ts";
import { completionScripts } from "../../../src/cli/completion/scripts.ts";
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

const main = `${import.meta.dir}/../../../src/main.ts`;
const call = `${process.execPath} ${main}`;

/** What a shell prints for a script, in a home with a file. */
async function printed(tree: TempTree, words: readonly string[]): Promise<unknown> {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: tree.path("home"),
    LANG: "C.UTF-8",
    TERM: "xterm",
  };
  const child = Bun.spawn([...words], { env, cwd: tree.path("home"), stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { stdout, stderr };
}

test("a real bash completes names, broken words and paths", async () => {
  using tree = new TempTree({ ...files, "home/some file.txt": "" });
  const rows = [
    "unin",
    "install --scope = p",
    "config set -s c",
    "mcp get me",
    "tasks import some",
  ];
  const script = [
    `scorpiox-code() { ${call} "$@"; }`,
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
  expect(await printed(tree, ["bash", "-c", script.join("\n")])).toEqual({
    stdout: "uninstall\nproject\nclaude\nmemory\nsome file.txt\n",
    stderr: "",
  });
});

const fish = Bun.which("fish");

test.skipIf(fish === null)(
  "a real fish completes names with their help, values and paths",
  async () => {
    using tree = new TempTree({ ...files, "home/some file.txt": "" });
    const rows = ["unin", "install --scope p", "config set -s c", "mcp get me", "tasks import so"];
    const script = [
      `function scorpiox-code; ${call} $argv; end`,
      "scorpiox-code completions fish | source",
      ...rows.map((row) => `complete -C "scorpiox-code ${row}"`),
    ];
    expect(await printed(tree, [fish ?? "", "--no-config", "-c", script.join("\n")])).toEqual({
      stdout: "uninstall\tDisconnect clients\nproject\nclaude\nmemory\tnpx\nsome file.txt\n",
      stderr: "",
    });
  },
);

const nushell = Bun.which("nu");

test.skipIf(nushell === null)("a real nushell completes names, values and paths", async () => {
  using tree = new TempTree(files);
  const rows = [["unin"], ["config", "set", "--scope", "c"], ["tasks", "import", "so"]];
  const script = [
    completionScripts.nushell.text.replaceAll("^scorpiox-code", `^${call}`),
    ...rows.map((row) => {
      const spans = JSON.stringify(["scorpiox-code", ...row]);
      return `print (do $env.config.completions.external.completer ${spans} | to json -r)`;
    }),
  ];
  tree.put("home/try.nu", script.join("\n"));
  expect(await printed(tree, [nushell ?? "", "--no-config-file", "try.nu"])).toEqual({
    stdout:
      '[{"value":"uninstall","description":"Disconnect clients"}]\n[{"value":"claude","description":""}]\nnull\n',
    stderr: "",
  });
});

const zsh = Bun.which("zsh");

/** A shell in a terminal of its own, in which a key completes the line and writes it to a file. */
const zshScript = (rows: readonly string[]): string =>
  [
    "zmodload zsh/zpty zsh/zselect",
    "zpty shell zsh -f -i",
    `zpty -w shell 'autoload -Uz compinit; compinit -D -u'`,
    `zpty -w shell 'scorpiox-code() { ${call} "$@" }'`,
    `zpty -w shell 'source <(scorpiox-code completions zsh)'`,
    `zpty -w shell 'shown() { zle complete-word; print -r -- "$BUFFER|" >> lines; BUFFER=; CURSOR=0 }'`,
    `zpty -w shell 'zle -N shown; bindkey "^T" shown; : > lines; touch ready'`,
    "until [[ -e ready ]]; do zpty -r -t shell line || zselect -t 2 || :; done",
    ...rows.map((row, at) =>
      [
        `zpty -n -w shell $'scorpiox-code ${row}\\C-T'`,
        `until (( $(wc -l < lines) > ${at} )); do zpty -r -t shell line || zselect -t 2 || :; done`,
      ].join("\n"),
    ),
    "cat lines",
    "zpty -d shell",
  ].join("\n");

test.skipIf(zsh === null)("a real zsh completes names, values and paths", async () => {
  using tree = new TempTree({ ...files, "home/some file.txt": "" });
  const rows = ["unin", "install --scope p", "config set -s c", "mcp get me", "tasks import so"];
  expect(await printed(tree, [zsh ?? "", "-f", "-c", zshScript(rows)])).toEqual({
    stdout: [
      "scorpiox-code uninstall |",
      "scorpiox-code install --scope project |",
      "scorpiox-code config set -s claude |",
      "scorpiox-code mcp get memory |",
      "scorpiox-code tasks import some\\ file.txt |",
      "",
    ].join("\n"),
    stderr: "",
  });
});
