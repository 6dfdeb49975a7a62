import { expect, test } from "bun:test";
import { chmodSync, existsSync } from "node:fs";

import { sha256Hex } from "../../src/base/digests.ts";
import { TempTree } from "../config/temp-tree.ts";
import { posixTest } from "../e2e/harness/platform.ts";
import { runIn } from "./fake-io.ts";

const script = "#!/bin/sh\necho \u001b[31mhello\n";
const mine = "home/.scorpiox/hooks/tool_use/sync-mine.sh";
const theirs = "project/.scorpiox/hooks/tool_use/theirs.sh";
const approvals = "home/.scorpiox/approved-hooks";

function hooked(): TempTree {
  const tree = new TempTree({ [mine]: script, [theirs]: script });
  for (const path of [mine, theirs]) chmodSync(tree.path(path), 0o755);
  return tree;
}

posixTest("hooks list shows whose they are, their order and why one is not run", async () => {
  using tree = hooked();
  tree.put("home/.scorpiox/hooks/tool_use/_off", "");
  tree.put("home/.scorpiox/hooks/tool-use/notes.txt", "");
  const { exitCode, stdout, stderr } = await runIn(tree, ["hooks", "list"]);
  expect(exitCode).toBe(0);
  expect(stdout.split("\n")).toEqual([
    "x tool-use/notes.txt     user     -       refused: it is not executable: chmod +x, or give it the extension .sh or .py",
    "- tool_use/_off          user     -       disabled: its name begins with _",
    "+ tool_use/sync-mine.sh  user     sync    ready",
    "! tool_use/theirs.sh     project  beside  needs approval",
    "",
  ]);
  expect(stderr).toBe("scorpiox-code: tool-use is a custom event. Did you mean tool_use?\n");
});

posixTest("hooks list as JSON has the digest of what is to be approved", async () => {
  using tree = hooked();
  const env = { SCORPIOX_HOOKS_ENABLED: "no" };
  const { stdout, stderr } = await runIn(tree, ["hooks", "list", "--json"], { env });
  const common = { event: "tool_use", reason: null };
  expect(JSON.parse(stdout)).toEqual({
    enabled: false,
    hooks: [
      {
        ...common,
        name: "sync-mine.sh",
        scope: "user",
        path: mine,
        mode: "sync",
        state: "ready",
        sha256: null,
      },
      {
        ...common,
        name: "theirs.sh",
        scope: "project",
        path: theirs,
        mode: "beside",
        state: "not approved",
        sha256: sha256Hex(script),
      },
    ],
  });
  expect(stderr).toBe("scorpiox-code: Hooks are disabled: HOOKS_ENABLED is false.\n");
});

posixTest.each([
  { what: "nobody to ask", argv: [], stdin: [], terminals: [], exitCode: 4 },
  { what: "no", argv: [], stdin: ["n\n"], terminals: ["stdin"], exitCode: 4 },
  { what: "nothing", argv: [], stdin: [], terminals: ["stdin"], exitCode: 4 },
  { what: "something else", argv: [], stdin: ["yesterday\n"], terminals: ["stdin"], exitCode: 4 },
  { what: "yes", argv: [], stdin: ["Y", "es\n"], terminals: ["stdin"], exitCode: 0 },
  { what: "--yes", argv: ["--yes"], stdin: [], terminals: [], exitCode: 0 },
  {
    what: "its name",
    argv: ["--yes", "tool_use/theirs.sh"],
    stdin: [],
    terminals: [],
    exitCode: 0,
  },
] as const)("hooks approve shows what it is about: $what", async (row) => {
  using tree = hooked();
  const { stdin, terminals } = row;
  const run = await runIn(tree, ["hooks", "approve", ...row.argv], { stdin, terminals });
  expect(run.exitCode).toBe(row.exitCode);
  expect(run.stdout.split("\n")).toEqual([
    "tool_use/theirs.sh  (needs approval)",
    `  file    ${theirs}`,
    `  size    ${script.length} bytes`,
    `  sha256  ${sha256Hex(script)}`,
    "  | #!/bin/sh",
    "  | echo \\u{1b}[31mhello",
    "",
  ]);
  expect(existsSync(tree.path(approvals))).toBe(row.exitCode === 0);
});

posixTest("hooks approve leaves nothing out", async () => {
  using tree = hooked();
  const end = `${" ".repeat(5_000)}rm -rf /`;
  tree.put("project/.scorpiox/hooks/tool_use/theirs.sh", `#!/bin/sh${"\n".repeat(500)}${end}\n`);
  tree.put("project/.scorpiox/hooks/tool_use/tool.sh", "\u007fELF\u0000\nrm -rf ~\n");
  const { stdout } = await runIn(tree, ["hooks", "approve"]);
  expect(stdout.split("\n")).toContain(`  | ${end}`);
  expect(stdout).toContain("  | \\u{7f}ELF\\u{0}\n  | rm -rf ~\n");
});

posixTest("hooks approve and revoke change what they name, and nothing else", async () => {
  using tree = hooked();
  const other = "project/.scorpiox/hooks/plan/other.sh";
  tree.put(other, script);
  const states = async (): Promise<readonly string[]> => {
    const { stdout } = await runIn(tree, ["hooks", "list", "--json"]);
    const { hooks } = JSON.parse(stdout) as { hooks: { name: string; state: string }[] };
    return hooks
      .filter(({ name }) => !name.includes("mine"))
      .map(({ name, state }) => `${name} ${state}`);
  };
  await runIn(tree, ["hooks", "approve", "--yes"]);
  expect(await states()).toEqual(["other.sh ready", "theirs.sh ready"]);
  expect((await runIn(tree, ["hooks", "approve"])).stderr).toContain("Nothing to approve");
  tree.put(other, "#!/bin/sh\nrm -rf /\n");
  expect(await states()).toEqual(["other.sh changed", "theirs.sh ready"]);
  await runIn(tree, ["hooks", "revoke", "tool_use/theirs.sh"]);
  expect(await states()).toEqual(["other.sh changed", "theirs.sh not approved"]);
  await runIn(tree, ["hooks", "approve", "--yes", "plan/other.sh"]);
  expect(await states()).toEqual(["other.sh ready", "theirs.sh not approved"]);
  await runIn(tree, ["hooks", "revoke"]);
  expect(await states()).toEqual(["other.sh not approved", "theirs.sh not approved"]);
});

test.each([
  { argv: ["approve", "tool_use/none"], exitCode: 3, error: "There is no hook tool_use/none in" },
  {
    argv: ["revoke", "tool_use/none"],
    exitCode: 3,
    error: "The hook tool_use/none is not approved",
  },
  { argv: ["emit", "../up"], exitCode: 2, error: "../up is not an event name" },
  { argv: ["emit", "x".repeat(65)], exitCode: 2, error: "is not an event name" },
  { argv: ["emit", "mine", "{"], exitCode: 2, error: "The data is not JSON" },
  { argv: ["emit", "tool_uze"], exitCode: 3, error: "Did you mean tool_use?" },
  { argv: ["emit", "mine"], exitCode: 3, error: "There is no event mine, and no folder" },
  { argv: ["emit"], exitCode: 2, error: "an argument is missing" },
])("hooks $argv ends with $exitCode", async ({ argv, exitCode, error }) => {
  using tree = new TempTree();
  const run = await runIn(tree, ["hooks", ...argv]);
  expect([run.exitCode, run.stderr]).toEqual([exitCode, expect.stringContaining(error)]);
});

test("hooks emit runs nothing when hooks are switched off", async () => {
  using tree = new TempTree();
  const env = { SCORPIOX_HOOKS_ENABLED: "off" };
  const run = await runIn(tree, ["hooks", "emit", "mine"], { env });
  expect([run.exitCode, run.stderr]).toEqual([
    1,
    "scorpiox-code: error: No hook was run: HOOKS_ENABLED is false.\n",
  ]);
});

test("without a project there is nothing to approve", async () => {
  using tree = new TempTree();
  const run = await runIn(tree, ["hooks", "approve"], { cwd: "home" });
  expect([run.exitCode, run.stderr]).toEqual([
    3,
    "scorpiox-code: error: There is no project here: give its folder with --cwd.\n",
  ]);
});
