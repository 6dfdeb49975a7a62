import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { cascadeFiles, TempTree } from "./temp-tree.ts";
import type { TreeEntry } from "./temp-tree.ts";

interface CascadeCase {
  readonly name: string;
  readonly files?: Readonly<Record<string, TreeEntry>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, string>>;
  readonly configFiles?: readonly string[];
  /** `KEY=value  level: place` for what is not a default, sorted as listed. */
  readonly set?: readonly string[];
  readonly problems?: readonly string[];
}

const home = "home/.scorpiox/scorpiox-env.txt";
const project = "project/.scorpiox/scorpiox-env.txt";

/** As people write it: with comments behind the values. */
const publishedExample = `# Core switches
TOOLS=true                  # Enable MCP tool serving
STREAMING="true"            # Progress while a command runs
export MODEL='sonnet'       # Hint for sampling
MCP=1\t# Join other servers
HOOKS_TIMEOUT=45            # Seconds # each
`;

const noSwitch = "it must be one of 1, true, yes, on, 0, false, no, off. Using false instead.";

const cases: readonly CascadeCase[] = [
  { name: "nothing set" },
  {
    name: "each file in its place",
    files: Object.fromEntries(cascadeFiles.map(([, file]) => [file, "STREAMING=0\n"])),
    set: [`STREAMING=false project: ${project}:1`],
  },
  {
    name: "~/.scorpiox over ~/.claude over beside the executable",
    files: {
      "bin/scorpiox-env.txt": "STREAMING=0\nSHELL_PATH=/a\nCLIENT_BUDGET_MS=1000\n",
      "home/.claude/scorpiox-env.txt": "SHELL_PATH=/b\nCLIENT_BUDGET_MS=2000\n",
      [home]: "CLIENT_BUDGET_MS=3000\n",
    },
    set: [
      "STREAMING=false executable: bin/scorpiox-env.txt:1",
      "SHELL_PATH=/b claude: home/.claude/scorpiox-env.txt:1",
      `CLIENT_BUDGET_MS=3000 scorpiox: ${home}:1`,
    ],
  },
  {
    name: "--config over project, environment over --config, flags over environment",
    files: { [project]: "STREAMING=0", "a.txt": "STREAMING=1\nTOOL_BASH=0\nTOOLS=0\n" },
    configFiles: ["a.txt"],
    env: { SCORPIOX_TOOL_BASH: "on", SCORPIOX_TOOLS: "yes" },
    flags: { TOOLS: "off" },
    set: [
      "TOOLS=false flag",
      "STREAMING=true config-file: a.txt:1",
      "TOOL_BASH=true environment: SCORPIOX_TOOL_BASH",
    ],
  },
  {
    name: "of two --config files the later counts",
    files: { "a.txt": "STREAMING=0\nTOOLS=0\n", "b.txt": "STREAMING=1\n" },
    configFiles: ["a.txt", "b.txt"],
    set: ["TOOLS=false config-file: a.txt:2", "STREAMING=true config-file: b.txt:1"],
  },
  {
    name: "bare names count for published keys only",
    env: { TOOLS: "0", TOOL_BASH: "no", SHELL_PATH: "/x", CLIENT_BUDGET_MS: "5000" },
    set: ["TOOLS=false environment: TOOLS", "TOOL_BASH=false environment: TOOL_BASH"],
  },
  {
    name: "bare names of the web's keys count as their pages say",
    env: {
      READDOCS_ALLOW_HOSTS: "127.0.0.1",
      WEBSEARCH_ENGINES: "bing",
      SEARXNG_URL: "http://127.0.0.1:8080",
      WEBSEARCH_BASE_BING: "http://127.0.0.1:8081",
    },
    set: [
      "READDOCS_ALLOW_HOSTS=127.0.0.1 environment: READDOCS_ALLOW_HOSTS",
      "WEBSEARCH_ENGINES=bing environment: WEBSEARCH_ENGINES",
      "SEARXNG_URL=http://127.0.0.1:8080/ environment: SEARXNG_URL",
      "WEBSEARCH_BASE_BING=http://127.0.0.1:8081/ environment: WEBSEARCH_BASE_BING",
    ],
  },
  {
    name: "another program's variable is silently not ours, an empty one is not set",
    env: { TOOLS: "/opt/tools", STREAMING: "", SCORPIOX_STREAMING: "" },
  },
  {
    name: "SCORPIOX_ name over bare name",
    env: { SCORPIOX_STREAMING: "0", STREAMING: "1" },
    set: ["STREAMING=false environment: SCORPIOX_STREAMING"],
  },
  {
    name: "a bad SCORPIOX_ variable is refused by name and the weaker value counts",
    files: { [home]: "STREAMING=0" },
    env: { SCORPIOX_STREAMING: "maybe" },
    set: [`STREAMING=false scorpiox: ${home}:1`],
    problems: [
      'SCORPIOX_STREAMING: STREAMING="maybe" is refused: it must be one of 1, true, yes, on, 0, false, no, off.',
    ],
  },
  {
    name: "bad values are refused with file, line, key and what is allowed",
    files: {
      [home]: 'TOOLS="false"\nCLIENT_BUDGET_MS="999"\nSHELL_PATH=bash\nACTIVE_PROFILE=../x\n',
    },
    set: [`TOOLS=false scorpiox: ${home}:1`],
    problems: [
      `${home}:2: CLIENT_BUDGET_MS="999" is refused: it must be a whole number from 1000 to 86400000, or 0 (never handed over) (ms).`,
      `${home}:3: SHELL_PATH="bash" is refused: it must be an absolute path, or one that begins with ~/.`,
      `${home}:4: ACTIVE_PROFILE="../x" is refused: it must be a profile's name: at most 64 letters, digits, "-", "_", " " or ".", not beginning with ".".`,
    ],
  },
  {
    name: "the example of the documentation, as it stands",
    files: { [home]: publishedExample },
    set: [
      `TOOLS=true scorpiox: ${home}:2`,
      `STREAMING=true scorpiox: ${home}:3`,
      `MODEL=sonnet scorpiox: ${home}:4`,
      `HOOKS_TIMEOUT=45 scorpiox: ${home}:6`,
      `MCP=true scorpiox: ${home}:5`,
    ],
  },
  {
    name: "a switch that cannot be read is off, in a file and in its own variable",
    files: { [home]: "TOOLS=ture\nTOOL_BASH=\nSKILL_X=maybe\n", [project]: "TOOL_READDOCS=2\n" },
    env: { SCORPIOX_MCP: "enable", SCORPIOX_SKILL_Y: "nope" },
    set: [
      `TOOLS=false scorpiox: ${home}:1`,
      "MCP=false environment: SCORPIOX_MCP",
      `TOOL_BASH=false scorpiox: ${home}:2`,
      `TOOL_READDOCS=false project: ${project}:1`,
      `SKILL_X=false scorpiox: ${home}:3`,
      "SKILL_Y=false environment: SCORPIOX_SKILL_Y",
    ],
    problems: [
      `${home}:1: TOOLS="ture" is refused: ${noSwitch}`,
      `${home}:2: TOOL_BASH="" is refused: ${noSwitch}`,
      `${home}:3: SKILL_X="maybe" is refused: ${noSwitch}`,
      `${project}:1: TOOL_READDOCS="2" is refused: ${noSwitch}`,
      `SCORPIOX_MCP: MCP="enable" is refused: ${noSwitch}`,
      `SCORPIOX_SKILL_Y: SKILL_Y="nope" is refused: ${noSwitch}`,
    ],
  },
  {
    name: "a project may switch tools off and streaming as it likes, and nothing else",
    files: {
      [home]: "TOOL_READIMAGE=0\n",
      [project]:
        "TOOL_BASH=0\nTOOL_READIMAGE=1\nTOOLS=1\nSTREAMING=0\nSHELL_PATH=/evil\nCLIENT_BUDGET_MS=0\nACTIVE_PROFILE=x\n",
    },
    set: [
      `TOOLS=true project: ${project}:3`,
      `STREAMING=false project: ${project}:4`,
      `TOOL_BASH=false project: ${project}:1`,
      `TOOL_READIMAGE=false scorpiox: ${home}:1`,
    ],
    problems: [
      `${project}:2: TOOL_READIMAGE is refused: a project's file may only switch it off. Set it in your own file.`,
      `${project}:5: SHELL_PATH is refused: a project's file may not set it. Set it in your own file.`,
      `${project}:6: CLIENT_BUDGET_MS is refused: a project's file may not set it. Set it in your own file.`,
      `${project}:7: ACTIVE_PROFILE is refused: a project's file may not choose the profile.`,
    ],
  },
  {
    name: "keys of other servers count, unknown keys are warned of with the nearest",
    files: {
      [home]: "MCP_ALLOW=x\nMCP=1\nMCP_SERVER=a:b\nMCP_DENY=3\nMCP_FILE=x\nSTREMING=0\nZZ=1\n",
    },
    set: [
      `MCP=true scorpiox: ${home}:2`,
      `MCP_SERVER=a:b scorpiox: ${home}:3`,
      `MCP_FILE=x scorpiox: ${home}:5`,
      `MCP_ALLOW=x scorpiox: ${home}:1`,
      `MCP_DENY=3 scorpiox: ${home}:4`,
      `STREMING=0 scorpiox: ${home}:6 unknown`,
      `ZZ=1 scorpiox: ${home}:7 unknown`,
    ],
    problems: [
      `${home}:6: STREMING is not a key of this version; it is ignored. Did you mean STREAMING?`,
      `${home}:7: ZZ is not a key of this version; it is ignored.`,
    ],
  },
  {
    name: "keys are case-sensitive; a switch of a tool that does not exist is a mistake",
    files: { [home]: "tools=0\nTOOL_BSH=0\n" },
    set: [`tools=0 scorpiox: ${home}:1 unknown`, `TOOL_BSH=0 scorpiox: ${home}:2 unknown`],
    problems: [
      `${home}:1: tools is not a key of this version; it is ignored. Did you mean TOOLS?`,
      `${home}:2: TOOL_BSH is not a key of this version; it is ignored. Did you mean TOOL_BASH?`,
    ],
  },
];

/** How a case states what was loaded. */
function stateOf(tree: TempTree, row: CascadeCase): { set: string[]; problems: string[] } {
  const loaded = tree.load({
    env: row.env ?? {},
    flags: row.flags ?? {},
    configFiles: (row.configFiles ?? []).map((file) => tree.path(file)),
  });
  const set = loaded
    .entries()
    .filter((entry) => entry.source.level !== "default")
    .map(({ key, value, source, use }) => {
      const place = source.variable ?? (source.file && `${source.file}:${source.line}`);
      const level = place === undefined ? source.level : `${source.level}: ${place}`;
      return tree.relative(`${key}=${value} ${level}${use === "used" ? "" : ` ${use}`}`);
    });
  return { set, problems: loaded.problems.map((problem) => tree.relative(problem.message)) };
}

describe("loadConfig()", () => {
  test.each(cases)("$name", (row) => {
    using tree = new TempTree(row.files);
    expect(stateOf(tree, row)).toEqual({
      set: [...(row.set ?? [])],
      problems: [...(row.problems ?? [])],
    });
  });

  test("tells which values stand in for unreadable ones, when no stronger place says another", () => {
    using tree = new TempTree({ [home]: "TOOLS=ture\nTOOL_BASH=x\nSANDBOX=tight\nSTREAMING=x\n" });
    const loaded = tree.load({ env: { SCORPIOX_TOOLS: "1" } });
    const file = tree.path(home);
    expect(loaded.standIns()).toEqual([
      {
        key: "TOOL_BASH",
        value: "false",
        source: { level: "scorpiox", file, line: 2 },
        use: "used",
      },
      {
        key: "SANDBOX",
        value: "read-only",
        source: { level: "scorpiox", file, line: 3 },
        use: "used",
      },
    ]);
  });

  test("gives defaults as settings", () => {
    using tree = new TempTree();
    expect(tree.load().settings).toEqual({
      tools: true,
      streaming: true,
      shellPath: undefined,
      clientBudgetMs: undefined,
      activeProfile: undefined,
      model: "sonnet",
      skills: { additional: [], isEnabled: expect.any(Function) },
      mcp: { isOn: true, namesServers: false, serverName: "scorpiox-code", toolNameMax: 44 },
      hub: { mode: "auto", idleS: 10, persists: undefined, keepHours: 24 },
      askBrowser: "auto",
      hooks: { isEnabled: true, timeoutMs: 30_000 },
      sandbox: { mode: "off", hasNetwork: true, writable: [], backend: "auto" },
      policy: { cautions: true, audit: true, auditCommands: false },
      web: {
        allowHosts: [],
        chromePath: undefined,
        searchEngines: undefined,
        searchLanguage: "en",
        searchRegion: undefined,
        searxngUrl: undefined,
        marginaliaKey: undefined,
        searchBaseUrls: {},
      },
      isToolEnabled: expect.any(Function),
    });
  });

  test("gives values as settings", () => {
    using tree = new TempTree({
      [home]: "TOOL_WEBSEARCH=0\nSHELL_PATH=~/bin/sh\nCLIENT_BUDGET_MS=0\nSTREAMING=off\n",
    });
    const { settings } = tree.load();
    expect({ ...settings, search: settings.isToolEnabled("WebSearch") }).toMatchObject({
      tools: true,
      streaming: false,
      shellPath: tree.path("home/bin/sh"),
      clientBudgetMs: 0,
      search: false,
    });
    expect(settings.isToolEnabled("Bash")).toBe(true);
  });

  test("TOOLS=false switches every tool off", () => {
    using tree = new TempTree({ [home]: "TOOLS=false\nTOOL_BASH=1\n" });
    expect(tree.load().settings.isToolEnabled("Bash")).toBe(false);
  });

  test("skips the folder of the executable when it is ~/.scorpiox", () => {
    using tree = new TempTree({ [home]: "STREAMING=0\n" });
    const loaded = tree.load({ executableDir: tree.path("home/.scorpiox") });
    expect(loaded.entries().find((entry) => entry.key === "STREAMING")?.source).toEqual({
      level: "scorpiox",
      file: tree.path(home),
      line: 1,
    });
  });

  test("reads the moved ~/.scorpiox and not the usual one", () => {
    using tree = new TempTree({ [home]: "TOOLS=0\n", "moved/scorpiox-env.txt": "STREAMING=0\n" });
    const { settings } = tree.load({ scorpioxDir: tree.path("moved") });
    expect([settings.tools, settings.streaming]).toEqual([true, false]);
  });

  test("a missing --config file is an error", () => {
    using tree = new TempTree();
    const { problems } = tree.load({ configFiles: [tree.path("none.txt")] });
    expect(problems).toEqual([
      {
        severity: "error",
        message: `${tree.path("none.txt")}: there is no such file. Correct the path after --config, or remove the flag.`,
        file: tree.path("none.txt"),
      },
    ]);
  });

  test("the strongest of any assignment wins and is named as the source", () => {
    // STREAMING may be set at every level; the profile's file is one more.
    const files = [
      ...cascadeFiles,
      ["config-file", "extra.txt"],
      ["profile", "home/.scorpiox/scorpiox-env/p.txt"],
    ] as const;
    const assignment = fc.array(fc.constantFrom("1", "0", undefined), {
      minLength: files.length + 2,
      maxLength: files.length + 2,
    });
    fc.assert(
      fc.property(assignment, (values) => {
        using tree = new TempTree({ "extra.txt": "", "home/.scorpiox/scorpiox-env/p.txt": "" });
        const levels: string[] = [];
        for (const [index, [level, file]] of files.entries()) {
          levels.push(level);
          if (values[index] !== undefined) tree.put(file, `STREAMING=${values[index]}\n`);
        }
        const variable = values[files.length];
        const flag = values[files.length + 1];
        const loaded = tree.load({
          env: { SCORPIOX_ACTIVE_PROFILE: "p", SCORPIOX_STREAMING: variable },
          configFiles: [tree.path("extra.txt")],
          flags: flag === undefined ? {} : { STREAMING: flag },
        });
        const strongest = values.findLastIndex((value) => value !== undefined);
        const entry = loaded.entries().find((candidate) => candidate.key === "STREAMING");
        expect<unknown[]>([entry?.value, entry?.source.level, loaded.problems]).toEqual([
          String(values[strongest] !== "0"),
          [...levels, "environment", "flag"][strongest] ?? "default",
          [],
        ]);
      }),
      { numRuns: 60 },
    );
  });
});
