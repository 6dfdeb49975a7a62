import { describe, expect, test } from "bun:test";

import { configFolders } from "../../src/config/places.ts";
import { listProfiles } from "../../src/config/profiles.ts";
import { TempTree } from "./temp-tree.ts";

const chosen = { env: { SCORPIOX_ACTIVE_PROFILE: "work" } };
const globalProfile = "home/.scorpiox/scorpiox-env/work.txt";
const projectProfile = "project/.scorpiox/scorpiox-env/work.txt";

describe("the profile", () => {
  test("is chosen by a file of the user", () => {
    using tree = new TempTree({
      "home/.claude/scorpiox-env.txt": "ACTIVE_PROFILE=work\n",
      [globalProfile]: "STREAMING=0\n",
    });
    expect(tree.load().settings).toMatchObject({ activeProfile: "work", streaming: false });
  });

  test("of a stronger folder stands for the whole of a weaker one", () => {
    using tree = new TempTree({
      "bin/scorpiox-env/work.txt": "CLIENT_BUDGET_MS=1000\n",
      "home/.claude/scorpiox-env/work.txt": "CLIENT_BUDGET_MS=2000\nSHELL_PATH=/b\n",
      [globalProfile]: "SHELL_PATH=/c\n",
    });
    expect(tree.load(chosen).settings).toMatchObject({
      clientBudgetMs: undefined,
      shellPath: "/c",
    });
  });

  test("of a project is a project's file, and does not lift what the user's says", () => {
    using tree = new TempTree({
      [globalProfile]: "TOOL_BASH=0\nSHELL_PATH=/mine\nSTREAMING=0\n",
      [projectProfile]: "TOOL_BASH=1\nTOOL_READIMAGE=0\nSHELL_PATH=/evil\n",
    });
    const { settings, problems } = tree.load(chosen);
    expect({
      ...settings,
      bash: settings.isToolEnabled("Bash"),
      image: settings.isToolEnabled("ReadImage"),
      problems: problems.map(({ message }) => tree.relative(message)),
    }).toMatchObject({
      shellPath: "/mine",
      streaming: true,
      bash: false,
      image: false,
      problems: [
        `${projectProfile}:1: TOOL_BASH is refused: a project's file may only switch it off. Set it in your own file.`,
        `${projectProfile}:3: SHELL_PATH is refused: a project's file may not set it. Set it in your own file.`,
      ],
    });
  });

  test("that is not there is a problem, with the nearest name", () => {
    using tree = new TempTree({ "home/.scorpiox/scorpiox-env/works.txt": "STREAMING=0\n" });
    const { settings, problems } = tree.load(chosen);
    expect(settings.streaming).toBe(true);
    expect(problems.map(({ message }) => tree.relative(message))).toEqual([
      'ACTIVE_PROFILE: there is no profile "work" in bin/scorpiox-env, home/.claude/scorpiox-env, home/.scorpiox/scorpiox-env, project/.claude/scorpiox-env, project/.scorpiox/scorpiox-env; none is used. Did you mean works?',
    ]);
  });

  test("does not choose another profile", () => {
    using tree = new TempTree({ [globalProfile]: "ACTIVE_PROFILE=other\nSTREAMING=0\n" });
    const { settings, problems } = tree.load(chosen);
    expect(settings).toMatchObject({ activeProfile: "work", streaming: false });
    expect(problems.map(({ message }) => tree.relative(message))).toEqual([
      `${globalProfile}:1: ACTIVE_PROFILE is refused: a profile cannot choose a profile.`,
    ]);
  });

  test.each(["", "../work", "a/b", "a\\b", ".hidden", "a..b", "x".repeat(65)])(
    "is never looked for outside its folders: %p",
    (name) => {
      using tree = new TempTree({ [globalProfile]: "STREAMING=0\n", "home/work.txt": "TOOLS=0\n" });
      const { settings } = tree.load({ env: { SCORPIOX_ACTIVE_PROFILE: name } });
      expect(settings).toMatchObject({ activeProfile: undefined, streaming: true, tools: true });
    },
  );

  test("listProfiles() names the file that counts for each", () => {
    using tree = new TempTree({
      [globalProfile]: "",
      [projectProfile]: "",
      "home/.scorpiox/scorpiox-env/home.txt": "",
      "home/.scorpiox/scorpiox-env/notes.md": "",
    });
    const folders = configFolders({
      homeDir: tree.path("home"),
      scorpioxDir: tree.path("home/.scorpiox"),
      executableDir: tree.path("bin"),
      projectDir: tree.path("project"),
    });
    expect(listProfiles(folders)).toEqual([
      { name: "home", file: tree.path("home/.scorpiox/scorpiox-env/home.txt"), level: "scorpiox" },
      { name: "work", file: tree.path(projectProfile), level: "project" },
    ]);
  });
});
