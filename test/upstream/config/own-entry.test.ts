import { expect, test } from "bun:test";

import { isOwnEntry } from "../../../src/upstream/config/read-entry.ts";
import type { ServerLaunch } from "../../../src/upstream/config/server-entry.ts";
import { ServerTree } from "./server-tree.ts";

const run = (command: string, ...args: readonly string[]): ServerLaunch => ({
  transport: "stdio",
  command,
  args,
  env: {},
});
const at = (url: string): ServerLaunch => ({ transport: "http", url, headers: {} });

test.each([
  ["the executable", run("{root}/bin/renamed"), true],
  ["a link to it", run("{root}/link"), true],
  ["from the PATH", run("renamed"), true],
  ["relative to the project", run("../bin/renamed"), true],
  ["from the home", run("~/../bin/renamed"), true],
  ["by a runner", run("env", "{root}/link"), true],
  ["by name", run("scorpiox-code"), true],
  ["by name and version, of a scope", run("npx", "-y", "@a/scorpiox-code@1.2.3"), true],
  ["another program", run("{root}/bin/other"), false],
  ["a word in an argument", run("other", "scorpiox-code"), false],
  ["a package with a longer name", run("npx", "scorpiox-code-tools"), false],
  ["something that is not there", run("{root}/bin/none"), false],
  ["a name that is longer than any", run("x".repeat(100_000), "y".repeat(100_000)), false],
  ["a runner of such a name", run("npx", "y".repeat(100_000)), false],
  ["its address", at("http://127.0.0.1:4100/mcp"), true],
  ["its address by another name", at("http://localhost:4100/other"), true],
  ["another port", at("http://127.0.0.1:4101/mcp"), false],
  ["another machine", at("http://example.com:4100/mcp"), false],
  ["a URL with a reference", at("http://${HOST}:4100/mcp"), false],
] as const)("[GW-01] isOwnEntry() of %s is %p", (_, launch, is) => {
  using tree = new ServerTree({ "bin/other": "", link: { link: "bin/renamed" } });
  tree.put("bin/renamed", "#!/bin/sh\n");
  Bun.spawnSync(["chmod", "755", tree.path("bin/renamed")]);
  const placed: ServerLaunch = JSON.parse(JSON.stringify(launch).replaceAll("{root}", tree.root));
  const parts = tree.parts({
    env: { PATH: tree.path("bin") },
    ownCommand: [tree.path("bin/renamed")],
    ownUrl: "http://0.0.0.0:4100/mcp",
  });
  expect(isOwnEntry(placed, parts)).toBe(is);
});

test("a program that is run from its sources does not claim the runtime for itself", () => {
  using tree = new ServerTree({ "main.ts": "", "other.ts": "" });
  const ownCommand = [process.execPath, tree.path("main.ts")];
  const is = (script: string): boolean =>
    isOwnEntry(run(process.execPath, "run", tree.path(script)), tree.parts({ ownCommand }));
  expect([is("main.ts"), is("other.ts")]).toEqual([true, false]);
});
