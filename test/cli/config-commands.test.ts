import { readFileSync } from "node:fs";
import { expect, test } from "bun:test";

import { configKeys } from "../../src/config/keys.ts";
import { TempTree } from "../config/temp-tree.ts";
import { runIn } from "./fake-io.ts";

const home = "home/.scorpiox/scorpiox-env.txt";

test("config set, get and unset give the file back as it was", async () => {
  const before = "# mine\r\nTOOLS = yes\r\n\r\nodd line\r\n";
  using tree = new TempTree({ [home]: before });
  const text = (): string => readFileSync(tree.path(home), "utf8");
  expect((await runIn(tree, ["config", "set", "STREAMING", "off"])).exitCode).toBe(0);
  expect(text()).toBe(`${before}STREAMING=off\r\n`);
  expect((await runIn(tree, ["config", "get", "STREAMING"])).stdout).toBe("false\n");
  expect((await runIn(tree, ["config", "unset", "STREAMING"])).exitCode).toBe(0);
  expect(text()).toBe(before);
});

test.each([["../moved"], ["~/../moved"]])("config set writes SCORPIOX_HOME=%s", async (moved) => {
  using tree = new TempTree();
  await runIn(tree, ["config", "set", "TOOLS", "0"], { env: { SCORPIOX_HOME: moved } });
  expect(readFileSync(tree.path("moved/scorpiox-env.txt"), "utf8")).toBe("TOOLS=0\n");
});

test("config set of a project's file is read by the project", async () => {
  using tree = new TempTree();
  await runIn(tree, ["config", "set", "TOOL_BASH", "0", "--level", "project"]);
  const { stdout } = await runIn(tree, ["config", "get", "TOOL_BASH", "--show-source"]);
  expect(stdout).toBe("false  # project: project/.scorpiox/scorpiox-env.txt:1\n");
});

test("profile use and off choose and leave a profile", async () => {
  using tree = new TempTree({ "home/.scorpiox/scorpiox-env/work.txt": "STREAMING=0\n" });
  const streaming = async (): Promise<string> =>
    (await runIn(tree, ["config", "get", "STREAMING"])).stdout;
  const use = await runIn(tree, ["profile", "use", "work"]);
  expect([use.exitCode, use.stderr]).toEqual([
    0,
    `scorpiox-code: the active profile is work, set in ${home}\n`,
  ]);
  expect(await streaming()).toBe("false\n");
  const list = await runIn(tree, ["profile", "list", "--json"]);
  expect(JSON.parse(list.stdout)).toEqual([
    {
      name: "work",
      file: "home/.scorpiox/scorpiox-env/work.txt",
      level: "global",
      active: true,
    },
  ]);
  expect((await runIn(tree, ["profile", "off"])).exitCode).toBe(0);
  expect(await streaming()).toBe("true\n");
});

test("profile off says so when another place still chooses one", async () => {
  using tree = new TempTree({ "home/.scorpiox/scorpiox-env/work.txt": "" });
  const env = { SCORPIOX_ACTIVE_PROFILE: "work" };
  const { stderr } = await runIn(tree, ["profile", "off"], { env });
  expect(stderr).toContain("ACTIVE_PROFILE=work from another place overrides it here");
});

test("--json calls the file in ~/.claude user, where --scope says claude", async () => {
  const claude = "home/.claude/scorpiox-env.txt";
  using tree = new TempTree({ [claude]: "TOOLS=0\n" });
  for (const words of [
    ["get", "TOOLS"],
    ["get", "TOOLS", "--scope", "claude"],
  ]) {
    const { stdout } = await runIn(tree, ["config", ...words, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ source: { level: "user", file: claude, line: 1 } });
  }
});

test("config list --json has every entry with its source", async () => {
  using tree = new TempTree({ [home]: "TOOLS=0\nXYZ=x\n" });
  const { stdout } = await runIn(tree, ["config", "list", "--json", "--all"]);
  const entries: unknown[] = JSON.parse(stdout);
  // XYZ, which no key describes, and all keys that are set or have a default.
  const known = [...configKeys.values()].filter((key) => key.default !== undefined);
  expect(entries.length).toBe(1 + known.length);
  expect([entries.at(0), entries.at(1), entries.at(-1)]).toEqual([
    {
      key: "TOOLS",
      value: "false",
      source: { level: "global", file: home, line: 1 },
      use: "used",
    },
    { key: "STREAMING", value: "true", source: { level: "default" }, use: "used" },
    {
      key: "XYZ",
      value: "x",
      source: { level: "global", file: home, line: 2 },
      use: "unknown",
    },
  ]);
});
