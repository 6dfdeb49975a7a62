import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

import type { CliServices, ServerTrial } from "../../src/cli/command.ts";
import { storePathIn } from "../../src/state/store/open-store.ts";
import type { TriedServer } from "../../src/upstream/server-state.ts";
import { TempTree, type TreeEntry } from "../config/temp-tree.ts";
import { type CommandRun, type CommandRunInput, runIn } from "./fake-io.ts";

interface Case {
  readonly files?: Readonly<Record<string, TreeEntry>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly services?: Partial<CliServices>;
  readonly words?: readonly string[];
  /** The last preparation, with the tree there. */
  readonly prepare?: (tree: TempTree) => void;
}

const trial: ServerTrial = {
  initializeMs: 12,
  listMs: 3,
  tools: [{ name: "Bash", description: "Runs a command." }],
  stderr: [],
};

const program = "home/.scorpiox/scorpiox-code";
const storeFile = storePathIn("home/.scorpiox");

/** A home in which nothing is wrong, but for what the case changes. */
async function doctor(
  tree: TempTree,
  { env, services, words = [] }: Case,
  input: Partial<CommandRunInput> = {},
): Promise<CommandRun> {
  return runIn(tree, ["doctor", ...words], {
    env: {
      PATH: tree.path("path"),
      TMPDIR: tree.path("temporary"),
      SCORPIOX_CHROME: tree.path(program),
      ...env,
    },
    services: {
      ownCommand: [tree.path(program)],
      tryServer: () => Promise.resolve(trial),
      triedUpstreams: () => Promise.resolve(new Map()),
      probeSandbox: () =>
        Promise.resolve({
          settings: { mode: "off", hasNetwork: true, writable: [], backend: undefined },
          trials: [{ name: "bubblewrap", hasNetwork: true }],
          used: null,
          refusal: null,
          planMode: [],
        } as never),
      ...services,
    },
    ...input,
  });
}

/** A tree that is not below the folder for temporary files, as far as the program knows. */
function treeOf({ files = {}, prepare }: Case): TempTree {
  const tree = new TempTree({
    [program]: "#!/bin/sh\n",
    "path/x": "",
    "temporary/x": "",
    ...files,
  });
  chmodSync(tree.path(program), 0o755);
  chmodSync(tree.path("home/.scorpiox"), 0o700);
  prepare?.(tree);
  return tree;
}

const cursor = (entry: unknown): Record<string, TreeEntry> => ({
  "home/.cursor/mcp.json": JSON.stringify({ mcpServers: { "scorpiox-code": entry } }),
});

function tried(changes: Partial<TriedServer["info"]>, isUsable = true): Partial<CliServices> {
  const info = {
    name: "docs",
    state: "ready",
    reason: null,
    tools: 3,
    blocked: { pending: 0, changed: 0, denied: 0 },
    ...changes,
  };
  return {
    triedUpstreams: () =>
      Promise.resolve(
        new Map([
          [
            "docs",
            {
              info,
              isUsable,
              steps: [{ name: "start", ms: 5, isDone: true }],
            } as unknown as TriedServer,
          ],
        ]),
      ),
  };
}

const docs = { "home/.scorpiox/config.toml": '[mcp.servers.docs]\ncommand = "docs"\n' };

const cases: readonly (readonly [name: string, fault: Case, text: RegExp, remedy: RegExp])[] = [
  [
    "the program was deleted",
    { prepare: (tree) => rmSync(tree.path(program)) },
    /scorpiox-code is gone: it was moved or deleted/,
    /^install it again/,
  ],
  [
    "everybody may write to the program",
    { prepare: (tree) => chmodSync(tree.path(program), 0o777) },
    /everybody may write to home\/\.scorpiox\/scorpiox-code/,
    /^chmod o-w home/,
  ],
  [
    "everybody may write to its folder",
    { prepare: (tree) => chmodSync(tree.path("home/.scorpiox"), 0o757) },
    /everybody may write to home\/\.scorpiox, and so replace the program/,
    /^chmod o-w home\/\.scorpiox$/,
  ],
  [
    "a folder of ours that others may write",
    { prepare: (tree) => chmodSync(tree.path("home/.scorpiox"), 0o770) },
    /others may write to home\/\.scorpiox, which holds your approvals/,
    /^chmod go-w/,
  ],
  [
    "no home",
    {
      prepare: (tree) => rmSync(tree.path("home"), { recursive: true }),
      services: { ownCommand: ["/bin/sh"] },
    },
    /the home folder home does not exist/,
    /^set HOME/,
  ],
  [
    "a file in the place of our folder",
    { env: { SCORPIOX_HOME: "/bin/sh" } },
    /\/bin\/sh is not a folder/,
    /^move it away/,
  ],
  [
    "a value that cannot be read",
    { files: { "home/.scorpiox/scorpiox-env.txt": "HOOKS_TIMEOUT=soon\n" } },
    /scorpiox-env\.txt.*HOOKS_TIMEOUT/,
    /^correct/,
  ],
  [
    "a variable that cannot be read",
    { env: { SCORPIOX_AUDIT: "perhaps" } },
    /SCORPIOX_AUDIT/,
    /^correct/,
  ],
  [
    "a profile that is not there",
    { files: { "home/.scorpiox/scorpiox-env.txt": "ACTIVE_PROFILE=work\n" } },
    /work/,
    /^correct/,
  ],
  [
    "a client's JSON is broken",
    { files: { "home/.cursor/mcp.json": "{ broken" } },
    /Cursor cannot read home\/\.cursor\/mcp\.json: line 1/,
    /^repair home\/\.cursor\/mcp\.json, then scorpiox-code install cursor$/,
  ],
  [
    "a client's TOML is broken",
    { files: { "home/.codex/config.toml": "[x" } },
    /Codex CLI cannot read/,
    /install codex$/,
  ],
  [
    "a client's YAML is broken",
    { files: { "home/.config/goose/config.yaml": "a: [1\nb: }" } },
    /Goose cannot read/,
    /install goose$/,
  ],
  [
    "the program of an entry is gone",
    { files: cursor({ command: "/opt/gone/scorpiox-code" }) },
    /Cursor .* starts \/opt\/gone\/scorpiox-code, which cannot be started/,
    /install cursor$/,
  ],
  [
    "an entry with a bare name",
    { files: cursor({ command: "scorpiox-code" }) },
    /which a client without your shell's PATH does not find/,
    /install cursor$/,
  ],
  [
    "an entry with ~",
    { files: cursor({ command: "~/.scorpiox/scorpiox-code" }) },
    /clients do not expand it/,
    /install cursor$/,
  ],
  [
    "an entry with $HOME",
    { files: cursor({ command: "$HOME/.scorpiox/scorpiox-code" }) },
    /clients do not expand it/,
    /install cursor$/,
  ],
  [
    "an entry without a command",
    { files: cursor({ args: [] }) },
    /has an entry without a command/,
    /install cursor$/,
  ],
  [
    "an entry below the key of another client",
    {
      files: {
        "home/.config/Code/User/mcp.json": '{"mcpServers":{"scorpiox-code":{"command":"/x"}}}',
      },
    },
    /VS Code reads servers of .*, and the entry is below mcpServers/,
    /install vscode$/,
  ],
  [
    "an entry in a file that Claude Code does not read",
    {
      files: { "home/.claude/settings.json": '{"mcpServers":{"scorpiox-code":{"command":"/x"}}}' },
    },
    /Claude Code does not read MCP servers from home\/\.claude\/settings\.json/,
    /install claude-code/,
  ],
  [
    "two entries of one client",
    {
      files: {
        "home/.cursor/mcp.json":
          '{"mcpServers":{"scorpiox-code":{"command":"/bin/sh"},"old":{"command":"/opt/scorpiox-code"}}}',
      },
    },
    /Cursor starts scorpiox-code twice: also as old/,
    /^remove old from/,
  ],
  [
    "the program does not start",
    { services: { tryServer: () => Promise.reject(new Error("Illegal instruction")) } },
    /as doctor the program does not start: Illegal instruction/,
    /config list/,
  ],
  [
    "a start longer than clients wait",
    { services: { tryServer: () => Promise.resolve({ ...trial, listMs: 12_000 }) } },
    /tools\/list 12000 ms, longer than clients wait/,
    /mcp test/,
  ],
  [
    "no tools",
    { services: { tryServer: () => Promise.resolve({ ...trial, tools: [] }) } },
    /the client is offered no tool/,
    /config list --show-source/,
  ],
  [
    "a name that is too long for the client",
    {
      words: ["--as", "cursor"],
      files: { "home/.cursor/x": "" },
      services: {
        tryServer: () => Promise.resolve({ ...trial, tools: [{ name: "x".repeat(42) }] }),
      },
    },
    /is longer than 60 characters/,
    /tools_prefix/,
  ],
  [
    "more tools than the client takes",
    {
      words: ["--as", "windsurf"],
      files: { "home/.codeium/windsurf/x": "" },
      services: {
        tryServer: () =>
          Promise.resolve({
            ...trial,
            tools: Array.from({ length: 101 }, (_, at) => ({ name: `t${at}` })),
          }),
      },
    },
    /101 tools, .*: the client takes 100/,
    /--defer on/,
  ],
  [
    "a file of servers that cannot be read",
    { files: { "home/.scorpiox/config.toml": "[mcp" } },
    /config\.toml/,
    /^correct the file$/,
  ],
  [
    "a server of the project that nobody approved",
    { files: { "project/.mcp.json": '{"mcpServers":{"p":{"command":"p"}}}' } },
    /p of the project needs approval/,
    /mcp approve p$/,
  ],
  [
    "a server that needs a login",
    { files: docs, services: tried({ state: "needs_auth" }, false) },
    /docs needs a login/,
    /mcp login docs$/,
  ],
  [
    "a server that does not start",
    {
      files: docs,
      services: tried({ state: "failed", reason: "docs was not found\nmore" }, false),
    },
    /docs does not work: docs was not found$/,
    /mcp test docs$/,
  ],
  [
    "a server with changed tools",
    { files: docs, services: tried({ blocked: { pending: 0, changed: 2, denied: 0 } }) },
    /docs has 2 changed tools, which are blocked/,
    /mcp diff docs$/,
  ],
  [
    "a server of which nothing is known",
    {
      files: docs,
      services: { triedUpstreams: () => Promise.resolve(new Map([["docs", "the Worker ended"]])) },
    },
    /docs: the Worker ended/,
    /mcp test docs$/,
  ],
  [
    "a browser that is not there",
    { env: { SCORPIOX_CHROME: "/opt/none" } },
    /SCORPIOX_CHROME names \/opt\/none, which/,
    /config unset CHROME_PATH/,
  ],
  [
    "a sandbox that refuses",
    {
      services: {
        probeSandbox: () =>
          Promise.resolve({
            settings: { mode: "read-only", hasNetwork: true, writable: [], backend: undefined },
            trials: [],
            used: null,
            refusal: "no sandbox works",
            planMode: [],
          } as never),
      },
    },
    /commands are refused: no sandbox works/,
    /doctor sandbox$/,
  ],
  [
    "damaged tasks",
    {
      files: { [storeFile]: "this is no database, and long enough to be read as one\n".repeat(40) },
    },
    /the tasks in home\/.* cannot be read \(/,
    /^start a client: it sets the damaged file aside/,
  ],
  [
    "drafts of killed processes",
    {
      files: { "home/.scorpiox/.config.toml.7a1f3c52-0b1e-4d3c-9a55-0e8f0c1d2e3f.tmp": "" },
      prepare: (tree) =>
        utimesSync(
          tree.path("home/.scorpiox/.config.toml.7a1f3c52-0b1e-4d3c-9a55-0e8f0c1d2e3f.tmp"),
          0,
          0,
        ),
    },
    /1 files of killed processes are left/,
    /doctor --fix$/,
  ],
];

interface JsonFinding {
  readonly state: string;
  readonly text: string;
  readonly remedy: string | null;
}

describe("[IN20] doctor finds each of these faults and names its remedy", () => {
  test.each(cases)("%s", async (_name, fault, text, remedy) => {
    using tree = treeOf(fault);
    const { exitCode, stdout } = await doctor(tree, {
      ...fault,
      words: [...(fault.words ?? []), "--json"],
    });
    const { findings } = JSON.parse(stdout) as { findings: readonly JsonFinding[] };
    const faults = findings
      .filter(({ state }) => state === "fault")
      .filter((one) => !one.text.includes("in a folder for temporary files"));
    const found = faults.filter((one) => text.test(one.text));
    expect({ exitCode, count: found.length, all: faults.length }).toEqual({
      exitCode: 1,
      count: 1,
      all: faults.length,
    });
    expect(found[0]?.remedy).toMatch(remedy);
  });

  test("each fault has a remedy", async () => {
    for (const [, fault] of cases) {
      using tree = treeOf(fault);
      const { stdout } = await doctor(tree, {
        ...fault,
        words: [...(fault.words ?? []), "--json"],
      });
      const { findings } = JSON.parse(stdout) as { findings: readonly JsonFinding[] };
      expect(findings.filter(({ state, remedy }) => state === "fault" && remedy === null)).toEqual(
        [],
      );
    }
  });
});

describe("doctor --fix", () => {
  const open: Case = {
    prepare: (tree) => {
      chmodSync(tree.path(program), 0o777);
      chmodSync(tree.path("home/.scorpiox"), 0o770);
    },
  };
  const modes = (tree: TempTree): readonly number[] =>
    [program, "home/.scorpiox"].map((path) => statSync(tree.path(path)).mode & 0o777);

  test("carries out the harmless remedies after asking", async () => {
    using tree = treeOf({
      ...open,
      files: { "home/.scorpiox/.x.7a1f3c52-0b1e-4d3c-9a55-0e8f0c1d2e3f.tmp": "" },
    });
    utimesSync(tree.path("home/.scorpiox/.x.7a1f3c52-0b1e-4d3c-9a55-0e8f0c1d2e3f.tmp"), 0, 0);
    const { stderr } = await doctor(
      tree,
      { words: ["--fix"] },
      { terminals: ["stdin"], stdin: ["yes\n"] },
    );
    expect(stderr).toContain("done: chmod o-w home/.scorpiox/scorpiox-code");
    expect(modes(tree)).toEqual([0o775, 0o750]);
    expect(
      existsSync(join(tree.path("home/.scorpiox"), ".x.7a1f3c52-0b1e-4d3c-9a55-0e8f0c1d2e3f.tmp")),
    ).toBe(false);
  });

  test("removes no draft of a process that may still write, no folder and no link", async () => {
    const name = (what: string): string =>
      `home/.scorpiox/.${what}.7a1f3c52-0b1e-4d3c-9a55-0e8f0c1d2e3f.tmp`;
    using tree = treeOf({
      files: {
        [name("new")]: "",
        [name("old")]: "",
        [name("folder")]: { dir: true },
        [name("link")]: { link: "home" },
      },
    });
    for (const what of ["old", "folder"]) utimesSync(tree.path(name(what)), 0, 0);
    await doctor(tree, { words: ["--fix", "--yes"] });
    const left = readdirSync(tree.path("home/.scorpiox")).filter((one) => one.endsWith(".tmp"));
    expect(new Set(left.map((one) => one.split(".")[1]))).toEqual(
      new Set(["folder", "link", "new"]),
    );
  });

  test("a remedy that fails is told, and the others are carried out", async () => {
    using tree = treeOf(open);
    const { exitCode, stderr } = await doctor(tree, {
      words: ["--fix", "--yes"],
      services: {
        tryServer: async () => {
          // The program goes while it is examined.
          rmSync(tree.path(program));
          return trial;
        },
      },
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/not done: chmod o-w home\/\.scorpiox\/scorpiox-code \(ENOENT/);
    expect(stderr).toContain("done: chmod go-w home/.scorpiox\n");
  });

  test("a no, and no terminal, change nothing", async () => {
    using tree = treeOf(open);
    await doctor(tree, { words: ["--fix"] }, { terminals: ["stdin"], stdin: ["no\n"] });
    const { exitCode, stderr } = await doctor(tree, { words: ["--fix"] });
    expect({ exitCode, modes: modes(tree) }).toEqual({ exitCode: 2, modes: [0o777, 0o770] });
    expect(stderr).toContain("To fix without a terminal, add --yes.");
  });
});

test("doctor says of every part that it was examined", async () => {
  using tree = treeOf({});
  const { stderr } = await doctor(tree, {});
  expect(stderr).toContain("9 of 9 parts were examined.");
});

describe("doctor waits for nothing that never comes", () => {
  test.skipIf(process.platform === "win32").each([
    ["settings of a client", "home/.claude/settings.json"],
    ["the tasks", storeFile],
  ])("a pipe in place of %s", async (_name, file) => {
    using tree = treeOf({ files: { "home/.claude/x": "" } });
    rmSync(tree.path(file), { force: true });
    Bun.spawnSync(["mkfifo", tree.path(file)]);
    const run = await Promise.race([doctor(tree, {}), Bun.sleep(10_000)]);
    expect(run).toBeDefined();
  });

  test("tasks that a server has locked are not called damaged", async () => {
    using tree = treeOf({});
    const { Database } = await import("bun:sqlite");
    using store = new Database(tree.path(storeFile));
    store.run("CREATE TABLE x (y)");
    store.run("BEGIN EXCLUSIVE");
    const { stdout } = await doctor(tree, {});
    expect(stdout).toMatch(/^! disk .* are in use/m);
    expect(stdout).not.toContain("cannot be read");
  });
});

test("[IN21] doctor --as starts the program as that client does", async () => {
  using tree = treeOf({ files: { "home/.config/Claude/x": "" } });
  const asked: unknown[] = [];
  const tryServer: CliServices["tryServer"] = (words, how) => {
    asked.push([
      words.map((word) => tree.relative(word)),
      how.clientName,
      how.revision,
      how.env["PATH"],
      Object.keys(how.env),
    ]);
    return Promise.resolve(trial);
  };
  await doctor(tree, {
    words: ["--as", "claude-desktop"],
    services: { tryServer },
    env: { HOME: "/h", EDITOR: "vi", SCORPIOX_MODEL: "opus" },
  });
  expect(asked).toEqual([
    [
      [program, "--client", "claude-desktop"],
      "claude-ai",
      "2025-06-18",
      "/usr/bin:/bin:/usr/sbin:/sbin",
      ["HOME", "TMPDIR", "PATH"],
    ],
  ]);
});
