import { expect, test } from "bun:test";

import { nothingHidden } from "../../../../src/commands/sandbox/backend-arguments.ts";
import { isSeen } from "../../../../src/commands/sandbox/principal/system-view.ts";
import {
  type PrincipalView,
  viewArguments,
} from "../../../../src/commands/sandbox/principal/view-arguments.ts";

const place = "/home/u/.scorpiox/workspaces/alice-1";
const view: PrincipalView = {
  system: { mounts: ["--ro-bind", "/usr", "/usr"], folders: ["/usr"] },
  principal: { work: `${place}/work`, home: `${place}/home`, plans: `${place}/plans` },
  shared: ["/home/u/.claude/skills"],
  hidden: nothingHidden,
  tmpDir: "/tmp/one",
  cwd: `${place}/work`,
  hasNetwork: false,
  isRoot: false,
};

/** The mounts of a path, in their order. */
function mountsAt(path: string, changed: Partial<PrincipalView> = {}): string[] {
  const words = viewArguments({ ...view, ...changed });
  return words.flatMap((word, at) => {
    if (word === path && words[at - 2]?.startsWith("--") === true) return [words[at - 2] ?? ""];
    return word === path && words[at - 1] === "--tmpfs" ? ["--tmpfs"] : [];
  });
}

test.each<[string, Partial<PrincipalView>, Record<string, string[]>]>([
  [
    "a command",
    {},
    {
      [`${place}/work`]: ["--bind"],
      [`${place}/home`]: ["--bind"],
      [`${place}/plans`]: ["--ro-bind"],
      "/tmp": ["--bind"],
      "/home/u/.claude/skills": ["--ro-bind-try"],
    },
  ],
  [
    "one of plan mode",
    { readOnly: { planFile: `${place}/plans/a.md` } },
    {
      [`${place}/work`]: ["--ro-bind"],
      [`${place}/home`]: ["--ro-bind"],
      [`${place}/plans/a.md`]: ["--bind"],
      "/tmp": ["--bind"],
    },
  ],
  [
    "secrets among programs",
    { hidden: { folders: ["/usr/local/bin/scorpiox-env"], files: ["/usr/local/key"] } },
    { "/usr/local/bin/scorpiox-env": ["--tmpfs"], "/usr/local/key": ["--ro-bind"] },
  ],
])("viewArguments of %s", (_what, changed, expected) => {
  for (const [path, mounts] of Object.entries(expected)) {
    expect([path, mountsAt(path, changed)]).toEqual([path, mounts]);
  }
});

test.each<[Partial<PrincipalView>, readonly string[], readonly string[]]>([
  [{}, ["--unshare-net", "--unshare-user", "--unshare-pid", "--unshare-ipc"], []],
  [{ hasNetwork: true }, ["--unshare-user"], ["--unshare-net"]],
  [{ isRoot: true }, ["--unshare-net"], ["--unshare-user"]],
])("viewArguments with %j", (changed, there, absent) => {
  const words = viewArguments({ ...view, ...changed });
  expect(there.filter((word) => !words.includes(word))).toEqual([]);
  expect(absent.filter((word) => words.includes(word))).toEqual([]);
  // Nothing of the root of this machine, but what is named.
  expect(words.join(" ")).not.toMatch(/bind \/ /);
});

test.each([
  ["/usr", true],
  ["/usr/local/x", true],
  ["/usr2", false],
  ["/home/u", false],
  ["/", false],
])("isSeen of %s is %p", (path, expected) => {
  expect(isSeen(view.system, path)).toBe(expected);
});
