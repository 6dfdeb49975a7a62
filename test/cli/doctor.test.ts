import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { withFileLock } from "../../src/config/file-lock.ts";
import { ChangeLog, type ChangeRecord } from "../../src/install/change-log.ts";
import type { TempTree } from "../config/temp-tree.ts";
import {
  type Case,
  cursor,
  docs,
  doctor,
  expectFault,
  type FaultCase,
  findingsOf,
  type JsonFinding,
  program,
  storeFile,
  treeOf,
  trial,
  tried,
} from "./doctor-run.ts";
import { runIn } from "./fake-io.ts";

const changesFile = "home/.scorpiox/installs/changes.json";

/** What `install cursor` leaves in our folder, with what it notes while it goes on; the client's file has no entry. */
function interrupted(now: Partial<ChangeRecord>): Case {
  const [path, at] = ["home/.cursor/mcp.json", "2026-11-27T10:00:00.000Z"];
  const entry = { name: "scorpiox-code", before: null, after: { command: "/opt/gone" } };
  const prepare = (tree: TempTree): void => {
    const about = { id: "1", kind: "install", client: "cursor", file: tree.path(path), at };
    const changes = [{ ...about, before: null, after: null, entries: [entry], ...now }];
    writeFileSync(tree.path(changesFile), JSON.stringify({ version: 1, changes }));
  };
  return { files: { [path]: "{}\n", [changesFile]: "" }, prepare };
}

/** Makes a file of ~/.scorpiox unreadable for others. */
function onlyOwn(name: string): (tree: TempTree) => void {
  return (tree) => chmodSync(tree.path(`home/.scorpiox/${name}`), 0o600);
}

const cases: readonly FaultCase[] = [
  [
    "the made tokens are damaged",
    { files: { "home/.scorpiox/http-tokens.json": "{" }, prepare: onlyOwn("http-tokens.json") },
    /The tokens in home\/\.scorpiox\/http-tokens\.json cannot be used: the file is damaged/,
    /^serve --http does not start/,
  ],
  [
    "http.toml has a key that is none",
    { files: { "home/.scorpiox/http.toml": "lissen = 1" } },
    /serve --http does not start: .*http\.toml: there is no key "lissen"\. Did you mean listen\?/,
    /^correct it there/,
  ],
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
    "install was killed in the middle",
    interrupted({ underWay: "change" }),
    /^Cursor: the install at 2026-11-27T10:00:00.000Z was interrupted, and home\/\.cursor\/mcp\.json may have a part of it$/,
    /^scorpiox-code undo cursor$/,
  ],
  [
    "undo was killed in the middle",
    interrupted({ underWay: "undo", since: "2026-11-28T10:00:00.000Z" }),
    /^Cursor: the undo of the install at 2026-11-28T10:00:00.000Z was interrupted/,
    /^scorpiox-code undo cursor$/,
  ],
  [
    "changes that cannot be read",
    { files: { [changesFile]: "{ broken" } },
    /^the changes that undo takes back cannot be read from home\/\.scorpiox\/installs\/changes\.json$/,
    /^mv home\/\.scorpiox\/installs\/changes\.json home\/\.scorpiox\/installs\/changes\.json\.broken$/,
  ],
  [
    "the program does not start",
    { services: { tryClientEntry: () => Promise.reject(new Error("Illegal instruction")) } },
    /as doctor the program does not start: Illegal instruction/,
    /config list/,
  ],
  [
    "a start longer than clients wait",
    { services: { tryClientEntry: () => Promise.resolve({ ...trial, listMs: 12_000 }) } },
    /tools\/list 12000 ms, longer than clients wait/,
    /mcp test/,
  ],
  [
    "no tools",
    { services: { tryClientEntry: () => Promise.resolve({ ...trial, tools: [] }) } },
    /the client is offered no tool/,
    /config list --show-source/,
  ],
  [
    "a name that is too long for the client",
    {
      words: ["--as", "cursor"],
      files: { "home/.cursor/x": "" },
      services: {
        tryClientEntry: () => Promise.resolve({ ...trial, tools: [{ name: "x".repeat(42) }] }),
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
        tryClientEntry: () =>
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

describe("[IN20] doctor finds each of these faults and names its remedy", () => {
  test.each(cases)("%s", (_name, fault, text, remedy) => expectFault(fault, text, remedy));
});

describe("doctor on a change of a client's file", () => {
  test("says nothing more of a file that may have a part of it, and undo repairs both", async () => {
    using tree = treeOf(interrupted({ underWay: "change" }));
    const clients = async (): Promise<readonly JsonFinding[]> =>
      (await findingsOf(tree, {})).filter(({ area }) => area === "clients");
    expect(await clients()).toMatchObject([
      { state: "fault", remedy: "scorpiox-code undo cursor" },
    ]);
    expect(await runIn(tree, ["undo", "cursor", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await clients()).toMatchObject([
      { state: "note", remedy: "scorpiox-code install cursor" },
    ]);
  });

  test("that another process is making says so, and is no fault", async () => {
    using tree = treeOf(interrupted({ underWay: "change" }));
    const lock = new ChangeLog(tree.path("home/.scorpiox")).lockFile;
    const found = await withFileLock(lock, () => findingsOf(tree, {}));
    expect(found.filter(({ area }) => area === "clients")).toMatchObject([
      {
        state: "note",
        text: expect.stringContaining("the install is under way in another process"),
      },
    ]);
  });

  test("that has ended is none of its findings, nor is one of a client that is not asked for", async () => {
    const left = { ...interrupted({ underWay: "change" }), words: ["--as", "zed"] };
    for (const input of [interrupted({}), left]) {
      using tree = treeOf(input);
      const texts = (await findingsOf(tree, input)).map(({ text }) => text);
      expect(texts.filter((text) => text.includes("interrupted"))).toEqual([]);
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
        tryClientEntry: async () => {
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
  expect(stderr).toContain("11 of 11 parts were examined.");
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
    using store = new Database(tree.path(storeFile));
    store.run("CREATE TABLE x (y)");
    store.run("BEGIN EXCLUSIVE");
    const { stdout } = await doctor(tree, {});
    expect(stdout).toMatch(/^! disk .* are in use/m);
    expect(stdout).not.toContain("cannot be read");
  });
});
