import { expect, test } from "bun:test";

import { completionScripts } from "../../src/cli/completion/scripts.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { TempFolder } from "./harness/temp-folder.ts";

function homeWithFiles(): TempFolder {
  ensureBuilt(productBinary);
  const home = new TempFolder();
  home.write(".scorpiox/config.toml", '[mcp.servers.memory]\ncommand = "npx"\n');
  home.write("some file.txt", "");
  return home;
}

/** What a shell prints for a script, in a home with a file. */
async function printed(home: TempFolder, words: readonly string[]): Promise<unknown> {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home.path,
    LANG: "C.UTF-8",
    TERM: "xterm",
  };
  const child = Bun.spawn([...words], { env, cwd: home.path, stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { stdout, stderr };
}

test("[commands.completions] a real bash completes names, broken words and paths", async () => {
  using home = homeWithFiles();
  const rows = [
    "unin",
    "install --scope = p",
    "config set -s c",
    "mcp get me",
    "tasks import some",
  ];
  const script = [
    `scorpiox-code() { ${productBinary} "$@"; }`,
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
  expect(await printed(home, ["bash", "-c", script.join("\n")])).toEqual({
    stdout: "uninstall\nproject\nclaude\nmemory\nsome file.txt\n",
    stderr: "",
  });
});

const fish = Bun.which("fish");

test.skipIf(fish === null)(
  "[commands.completions] a real fish completes names with their help, values and paths",
  async () => {
    using home = homeWithFiles();
    const rows = ["unin", "install --scope p", "config set -s c", "mcp get me", "tasks import so"];
    const script = [
      `function scorpiox-code; ${productBinary} $argv; end`,
      "scorpiox-code completions fish | source",
      ...rows.map((row) => `complete -C "scorpiox-code ${row}"`),
    ];
    expect(await printed(home, [fish ?? "", "--no-config", "-c", script.join("\n")])).toEqual({
      stdout: "uninstall\tDisconnect clients\nproject\nclaude\nmemory\tnpx\nsome file.txt\n",
      stderr: "",
    });
  },
);

const nushell = Bun.which("nu");

test.skipIf(nushell === null)(
  "[commands.completions] a real nushell completes names, values and paths",
  async () => {
    using home = homeWithFiles();
    const rows = [["unin"], ["config", "set", "--scope", "c"], ["tasks", "import", "so"]];
    const script = [
      completionScripts.nushell.text.replaceAll("^scorpiox-code", `^${productBinary}`),
      ...rows.map((row) => {
        const spans = JSON.stringify(["scorpiox-code", ...row]);
        return `print (do $env.config.completions.external.completer ${spans} | to json -r)`;
      }),
    ];
    home.write("try.nu", script.join("\n"));
    expect(await printed(home, [nushell ?? "", "--no-config-file", "try.nu"])).toEqual({
      stdout:
        '[{"value":"uninstall","description":"Disconnect clients"}]\n[{"value":"claude","description":""}]\nnull\n',
      stderr: "",
    });
  },
);

const zsh = Bun.which("zsh");

/** A shell in a terminal of its own, in which a key completes the line and writes it to a file. */
const zshScript = (rows: readonly string[]): string =>
  [
    "zmodload zsh/zpty zsh/zselect",
    "zpty shell zsh -f -i",
    `zpty -w shell 'autoload -Uz compinit; compinit -D -u'`,
    `zpty -w shell 'scorpiox-code() { ${productBinary} "$@" }'`,
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

test.skipIf(zsh === null)(
  "[commands.completions] a real zsh completes names, values and paths",
  async () => {
    using home = homeWithFiles();
    const rows = ["unin", "install --scope p", "config set -s c", "mcp get me", "tasks import so"];
    expect(await printed(home, [zsh ?? "", "-f", "-c", zshScript(rows)])).toEqual({
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
  },
);
