import { describe, expect, test } from "bun:test";

import { TempTree } from "./temp-tree.ts";

const home = "home/.scorpiox/scorpiox-env.txt";
const project = "project/.scorpiox/scorpiox-env.txt";
const defaults = { mode: "auto", idleS: 10, persists: undefined, keepHours: 24 } as const;

describe("settings.hub", () => {
  test("has defaults, and is neither for nor against kept tasks", () => {
    using tree = new TempTree();
    expect(tree.load().settings.hub).toEqual(defaults);
  });

  test.each([
    ["HUB=off", { mode: "off" }],
    ["HUB=On", { mode: "on" }],
    ["HUB_IDLE=0", { idleS: 0 }],
    ["HUB_IDLE=86400", { idleS: 86_400 }],
    ["BG_PERSIST=1", { persists: true }],
    ["BG_PERSIST=0", { persists: false }],
    ["BG_KEEP_HOURS=0", { keepHours: 0 }],
    ["BG_KEEP_HOURS=8760", { keepHours: 8760 }],
  ])("follows %s", (line, change) => {
    using tree = new TempTree({ [home]: `${line}\n` });
    const { settings, problems } = tree.load();
    expect<object>(settings.hub).toEqual({ ...defaults, ...change });
    expect(problems).toEqual([]);
  });

  test.each(["HUB=1", "HUB_IDLE=86401", "HUB_IDLE=-1", "BG_PERSIST=", "BG_KEEP_HOURS=8761"])(
    "keeps the weaker value where %s is invalid",
    (line) => {
      using tree = new TempTree({ [home]: `${line}\n` });
      const { settings, problems } = tree.load();
      expect([settings.hub, problems.length]).toEqual([defaults, 1]);
    },
  );

  test("is the user's alone: a project sets none of its keys, not even to off", () => {
    const lines = ["HUB=off", "HUB_IDLE=0", "BG_PERSIST=0", "BG_KEEP_HOURS=1"];
    using tree = new TempTree({ [project]: `${lines.join("\n")}\n` });
    const { settings, problems } = tree.load();
    expect(settings.hub).toEqual(defaults);
    const refusals = lines.map(
      (line, index) =>
        `${project}:${index + 1}: ${line.replace(/=.*/, "")} is refused: a project's file may not set it. Set it in your own file.`,
    );
    expect(problems.map(({ message }) => tree.relative(message))).toEqual(refusals);
  });

  test("follows the environment by its own names only", () => {
    using tree = new TempTree();
    const env = {
      SCORPIOX_HUB: "off",
      SCORPIOX_BG_PERSIST: "1",
      HUB_IDLE: "1",
      BG_KEEP_HOURS: "1",
    };
    expect(tree.load({ env }).settings.hub).toEqual({ ...defaults, mode: "off", persists: true });
  });
});
