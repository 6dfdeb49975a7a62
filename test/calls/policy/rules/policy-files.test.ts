import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";

import { PolicyFiles, policyPlaces } from "../../../../src/calls/policy/rules/policy-files.ts";
import { until } from "../../../commands/process/until.ts";
import { TempFolder } from "../../../e2e/harness/temp-folder.ts";

const dirs = {
  homeDir: "/h",
  scorpioxDir: "/h/.scorpiox",
  executableDir: "/opt/bin",
  projectDir: "/h/p",
};

test("policyPlaces: managed, user, project; each file once", () => {
  const pathsOf = (more: object, platform: NodeJS.Platform = "linux"): string[] =>
    policyPlaces({ ...dirs, ...more }, platform).map(({ level, path }) => `${level} ${path}`);
  const user = "user /h/.scorpiox/policy.jsonc";
  const project = "project /h/p/.scorpiox/policy.jsonc";
  expect(pathsOf({})).toEqual([
    "managed /etc/scorpiox/policy.jsonc",
    "managed /opt/bin/policy.jsonc",
    user,
    project,
  ]);
  expect(pathsOf({ executableDir: "/h/.scorpiox", projectDir: undefined }, "darwin")).toEqual([
    user,
  ]);
  // SCORPIOX_HOME may lie in the project: the file counts as the user's.
  expect(pathsOf({ scorpioxDir: "/h/p/.scorpiox" }, "darwin")).toEqual([
    "managed /opt/bin/policy.jsonc",
    "user /h/p/.scorpiox/policy.jsonc",
  ]);
});

describe("PolicyFiles", () => {
  const rulesOf = (files: PolicyFiles): string[] =>
    files.current().rules.map(({ action }) => action);
  const file = (...actions: string[]): string =>
    JSON.stringify({ rules: actions.map((action) => ({ tool: "A", action })) });

  test("sees a change, looks once a second at most, and warns once", async () => {
    using folder = new TempFolder();
    const path = folder.at("policy.jsonc");
    const warnings: string[] = [];
    const files = new PolicyFiles([{ path, level: "user" }], (line) => void warnings.push(line));
    expect(rulesOf(files)).toEqual([]);
    folder.write("policy.jsonc", file("deny"));
    expect(rulesOf(files)).toEqual([]);
    await until(() => rulesOf(files).join() === "deny");
    folder.write("policy.jsonc", "{");
    await until(() => rulesOf(files).length === 0);
    expect([rulesOf(files), files.current().problems.length, warnings.length]).toEqual([[], 1, 1]);
    expect(warnings[0]).toContain(`${path}: JSONC Parse error`);
  });

  test("a file that is there but cannot be read is a problem of every tool", () => {
    using folder = new TempFolder();
    mkdirSync(folder.at("policy.jsonc"));
    const files = new PolicyFiles(
      [{ path: folder.at("policy.jsonc"), level: "project" }],
      () => {},
    );
    const { problems } = files.current();
    expect(problems.map(({ message, tools }) => [message, tools[0]?.pattern])).toEqual([
      [`${folder.at("policy.jsonc")}: this file is a directory`, "*"],
    ]);
    rmSync(folder.at("policy.jsonc"), { recursive: true });
  });

  test.skipIf(process.platform === "win32")("nor one that everybody may write", () => {
    using folder = new TempFolder();
    const path = folder.write("policy.jsonc", file("allow"), 0o666);
    const { problems } = new PolicyFiles([{ path, level: "user" }], () => {}).current();
    expect(problems.map(({ message }) => message)).toEqual([
      `${path}: this file may be written by everybody: chmod o-w`,
    ]);
  });

  test("rules of all files count together", () => {
    using folder = new TempFolder();
    const user = folder.write("user.jsonc", file("allow", "ask"));
    const project = folder.write("project.jsonc", file("allow", "deny"));
    const warnings: string[] = [];
    const files = new PolicyFiles(
      [
        { path: user, level: "user" },
        { path: project, level: "project" },
      ],
      (line) => void warnings.push(line),
    );
    expect(rulesOf(files)).toEqual(["allow", "ask", "deny"]);
    expect(warnings).toEqual([
      `rule 1 of ${project} is ignored: a project's file may only tighten, not allow.`,
    ]);
  });
});
