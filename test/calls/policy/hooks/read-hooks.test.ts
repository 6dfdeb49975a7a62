import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { hooksPerEventMax } from "../../../../src/base/limits.ts";
import type { HookFinding, HooksFolder } from "../../../../src/calls/policy/hooks/hook.ts";
import {
  faultOfMode,
  faultOfOwner,
  hooksFoldersOf,
} from "../../../../src/calls/policy/hooks/session-folder.ts";
import { readHooks, surveyHooks } from "../../../../src/calls/policy/hooks/read-hooks.ts";
import { posixTest } from "../../../e2e/harness/platform.ts";
import { HooksTree } from "./hooks-tree.ts";

async function found(tree: HooksTree, eventName = "tool_use"): Promise<readonly string[]> {
  const findings = await Promise.all(
    tree.folders.map((folder) => readHooks(folder, eventName, "linux")),
  );
  return findings.flat().map(lineOf);
}

function lineOf(finding: HookFinding): string {
  if (finding.kind !== "hook") {
    const { name, kind, reason, guard } = finding;
    return `${name}: ${kind}, ${reason}${guard === undefined ? "" : ` [${guard.name} stops]`}`;
  }
  const { name, scope, launch, isSync } = finding.hook;
  return `${name}: ${scope} ${launch}${isSync ? " sync" : ""}`;
}

describe("readHooks()", () => {
  posixTest("finds nothing where there is nothing", async () => {
    using tree = new HooksTree();
    expect(await found(tree)).toEqual([]);
    tree.user("plan/a.sh");
    expect(await found(tree)).toEqual([]);
  });

  posixTest("gives the user's before the project's, each in natural order", async () => {
    using tree = new HooksTree();
    for (const name of ["sync-10", "sync-9", "b", "_off", ".hidden"]) tree.user(`tool_use/${name}`);
    tree.project("tool_use/sync-1");
    tree.project("tool_use/a.sh", "", 0o644);
    expect(await found(tree)).toEqual([
      ".hidden: disabled, its name begins with .",
      "_off: disabled, its name begins with _",
      "b: user direct",
      "sync-9: user direct sync",
      "sync-10: user direct sync",
      "a.sh: project shell",
      "sync-1: project direct sync",
    ]);
  });

  posixTest("what has happened already waits for no hook", async () => {
    using tree = new HooksTree();
    tree.user("background/sync-a");
    expect(await found(tree, "background")).toEqual(["sync-a: user direct"]);
  });

  posixTest("refuses what is no file of ours", async () => {
    using tree = new HooksTree();
    tree.user("tool_use/good.sh");
    const folder = join(tree.scorpioxDir, "hooks/tool_use");
    mkdirSync(join(folder, "folder"));
    chmodSync(tree.user("tool_use/open.sh"), 0o777);
    writeFileSync(join(tree.root, "outside.sh"), "");
    symlinkSync(join(tree.root, "outside.sh"), join(folder, "leads-out.sh"));
    symlinkSync("good.sh", join(folder, "link.sh"));
    symlinkSync("nothing", join(folder, "broken.sh"));
    Bun.spawnSync(["mkfifo", join(folder, "pipe.sh")]);
    tree.user("tool_use/notes.txt", "", 0o644);
    expect(await found(tree)).toEqual([
      expect.stringMatching(/^broken\.sh: refused, it cannot be read \(.*ENOENT/),
      "folder: refused, it is not a file",
      "good.sh: user direct",
      "leads-out.sh: user shell",
      "link.sh: user direct",
      "notes.txt: refused, it is not executable: chmod +x, or give it the extension .sh or .py",
      "open.sh: refused, everybody may write to it: chmod o-w",
      "pipe.sh: refused, it is not a file",
    ]);
  });

  posixTest.each(["hooks", "hooks/tool_use"])(
    "refuses %s when everybody may write",
    async (dir) => {
      using tree = new HooksTree();
      tree.user("tool_use/a.sh");
      chmodSync(join(tree.scorpioxDir, dir), 0o777);
      expect(await found(tree)).toEqual([": refused, everybody may write to it: chmod o-w"]);
    },
  );

  posixTest("of the user's guards what is refused stops, of a project's nothing", async () => {
    using tree = new HooksTree();
    chmodSync(tree.user("tool_use/sync-open"), 0o777);
    chmodSync(tree.user("tool_use/beside"), 0o777);
    tree.user("tool_use/sync-off", "", 0o644);
    tree.user("tool_use/sync-windows.ps1", "", 0o644);
    symlinkSync("nothing", join(tree.scorpioxDir, "hooks/tool_use/sync-broken"));
    chmodSync(tree.project("tool_use/sync-open"), 0o777);
    expect(await found(tree)).toEqual([
      "beside: refused, everybody may write to it: chmod o-w",
      expect.stringMatching(/^sync-broken: refused, it cannot be read .* \[sync-broken stops\]$/),
      "sync-off: refused, it is not executable: chmod +x, or give it the extension .sh or .py [sync-off stops]",
      "sync-open: refused, everybody may write to it: chmod o-w [sync-open stops]",
      "sync-windows.ps1: refused, it is for Windows",
      "sync-open: refused, everybody may write to it: chmod o-w",
    ]);
    // What has happened already is stopped by nobody.
    chmodSync(tree.user("plan/sync-open"), 0o777);
    expect(await found(tree, "plan")).toEqual([
      "sync-open: refused, everybody may write to it: chmod o-w",
    ]);
    chmodSync(join(tree.scorpioxDir, "hooks/tool_use"), 0o777);
    expect(await found(tree)).toEqual([
      ": refused, everybody may write to it: chmod o-w [sync-* stops]",
      "sync-open: refused, everybody may write to it: chmod o-w",
    ]);
  });

  posixTest("follows links of the user where nobody else may put anything", async () => {
    using tree = new HooksTree();
    const elsewhere = join(tree.root, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "sync-a.sh"), "", { mode: 0o600 });
    mkdirSync(join(tree.scorpioxDir, "hooks"));
    symlinkSync(elsewhere, join(tree.scorpioxDir, "hooks/tool_use"));
    expect(await found(tree)).toEqual(["sync-a.sh: user shell sync"]);
    chmodSync(tree.root, 0o777);
    const reason = `it leads into ${realpathSync(tree.root)}: everybody may write to it: chmod o-w`;
    expect(await found(tree)).toEqual([`: refused, ${reason} [sync-* stops]`]);
    chmodSync(tree.root, 0o700);
  });

  posixTest(
    "refuses a project's folder that leads out, and a file in a folder's place",
    async () => {
      using tree = new HooksTree();
      const hooks = join(tree.projectDir, ".scorpiox/hooks");
      mkdirSync(hooks, { recursive: true });
      mkdirSync(join(tree.root, "elsewhere"));
      symlinkSync(join(tree.root, "elsewhere"), join(hooks, "tool_use"));
      expect(await found(tree)).toEqual([": refused, it leads out of the hooks folder"]);
      mkdirSync(join(tree.scorpioxDir, "hooks"));
      writeFileSync(join(tree.scorpioxDir, "hooks/plan"), "");
      expect(await found(tree, "plan")).toEqual([": refused, it is not a folder"]);
    },
  );

  posixTest.each([hooksPerEventMax, hooksPerEventMax + 1])("takes %p files", async (count) => {
    using tree = new HooksTree();
    for (let index = 1; index <= count; index++) tree.user(`tool_use/${index}`);
    const lines = await found(tree);
    expect(lines.length).toBe(count);
    expect(lines.at(-1)).toMatch(
      count > hooksPerEventMax ? /only the first 1000 are used/ : /direct/,
    );
  });
});

posixTest("what has a name that deceives is neither run nor shown as it is", async () => {
  using tree = new HooksTree();
  const name = "sync-a  (not approved)\n  | echo \u001b[2Jharmless";
  tree.project(`tool_use/${name}`);
  tree.project("tool_use\n  | echo/a");
  const reason = "its name has characters that cannot be seen";
  const shown = "sync-a  (not approved)\\u{a}  | echo \\u{1b}[2Jharmless";
  const path = join(tree.projectDir, ".scorpiox/hooks/tool_use", shown);
  const found = await surveyHooks(tree.folders, undefined);
  expect(found.map(({ row }) => ({ name: row.name, path: row.path, reason: row.reason }))).toEqual([
    { name: shown, path, reason },
  ]);
});

test("a home in the project has no hooks of the project", () => {
  using tree = new HooksTree();
  const scorpioxDir = join(tree.projectDir, ".scorpiox");
  const expected: HooksFolder[] = [{ scope: "user", hooksDir: join(scorpioxDir, "hooks") }];
  expect(tree.folders.length).toBe(2);
  const { projectDir } = tree;
  const folders = hooksFoldersOf({ scorpioxDir, projectDir });
  expect(folders).toEqual(expected);
});

posixTest("a home that is the project by another way has no hooks of the project either", () => {
  using tree = new HooksTree();
  tree.user("tool_use/a");
  const link = join(tree.root, "link");
  symlinkSync(join(tree.scorpioxDir, ".."), link);
  const { scorpioxDir } = tree;
  expect(hooksFoldersOf({ scorpioxDir, projectDir: link })).toEqual([
    { scope: "user", hooksDir: join(scorpioxDir, "hooks") },
  ]);
});

describe("who may write", () => {
  test.each([
    [0o100644, "linux", undefined],
    [0o100664, "linux", undefined],
    [0o100646, "linux", "everybody may write to it: chmod o-w"],
    [0o100666, "win32", undefined],
  ] as const)("mode %p on %s: %p", (mode, platform, fault) => {
    expect(faultOfMode({ mode }, platform)).toBe(fault);
  });

  test.each([
    [1000, 1000, undefined],
    [0, 1000, undefined],
    [1001, 1000, "it belongs to another user: chown it to yourself"],
    [1000, 0, "it belongs to another user: chown it to yourself"],
  ])("owner %p for user %p: %p", (uid, ownUid, fault) => {
    expect(faultOfOwner({ uid }, ownUid)).toBe(fault);
  });
});
