import { describe, expect, test } from "bun:test";

import { TempTree } from "./temp-tree.ts";

const home = "home/.scorpiox/scorpiox-env.txt";
const project = "project/.scorpiox/scorpiox-env.txt";

describe("SANDBOX and SANDBOX_NETWORK", () => {
  test.each([
    ["SANDBOX=off", "SANDBOX=read-only", "read-only true", 0],
    ["SANDBOX=workspace-write", "SANDBOX=read-only", "read-only true", 0],
    ["SANDBOX=workspace-write", "SANDBOX=workspace-write", "workspace-write true", 0],
    ["SANDBOX=workspace-write", "SANDBOX=off", "workspace-write true", 1],
    ["SANDBOX=read-only", "SANDBOX=workspace-write", "read-only true", 1],
    ["SANDBOX_NETWORK=off", "SANDBOX_NETWORK=on", "off false", 1],
    ["SANDBOX_NETWORK=on", "SANDBOX_NETWORK=off", "off false", 0],
    ["SANDBOX=Read-Only", "", "read-only true", 0],
    // A slip opens nothing.
    ["SANDBOX=readonly", "", "read-only true", 1],
    ["SANDBOX_NETWORK=none", "", "off false", 1],
  ])("the user has %p, the project %p", (mine, theirs, what, problems) => {
    using tree = new TempTree({ [home]: `${mine}\n`, [project]: `${theirs}\n` });
    const loaded = tree.load();
    const { mode, hasNetwork } = loaded.settings.sandbox;
    expect([`${mode} ${hasNetwork}`, loaded.problems.length]).toEqual([what, problems]);
  });

  test("a project may not open paths nor choose the sandbox", () => {
    using tree = new TempTree({ [project]: "SANDBOX_WRITE=/etc\nSANDBOX_BACKEND=landlock\n" });
    const loaded = tree.load();
    expect([loaded.settings.sandbox, loaded.problems.length]).toEqual([
      { mode: "off", hasNetwork: true, writable: [], backend: "auto" },
      2,
    ]);
  });
});

test.each([
  ["/a, ~/b", ["/a", "HOME/b"], 0],
  ["", [], 0],
  ["relative", [], 1],
])("SANDBOX_WRITE=%s", (text, paths, problems) => {
  using tree = new TempTree({ [home]: `SANDBOX_WRITE=${text}\n` });
  const loaded = tree.load();
  const { writable } = loaded.settings.sandbox;
  expect([
    writable.map((path) => path.replace(/^.*\/home\//, "HOME/")),
    loaded.problems.length,
  ]).toEqual([paths, problems]);
});
