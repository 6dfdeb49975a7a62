import { expect, test } from "bun:test";

import { policyProjectsMax } from "../../../../src/base/limits.ts";
import { ProjectPolicies, withProject } from "../../../../src/calls/policy/rules/policy-files.ts";
import { emptyPolicy } from "../../../../src/calls/policy/rules/rule.ts";
import { TempFolder } from "../../../e2e/harness/temp-folder.ts";

const denying = JSON.stringify({
  rules: [
    { tool: "Bash", match: "rm", action: "deny" },
    { tool: "*", action: "allow" },
  ],
});

test("a project's rules count in all of its folders, allowing ones do not, and other files count once", () => {
  using home = new TempFolder();
  const path = home.write("project/.scorpiox/policy.jsonc", denying);
  const own = home.write("own/.scorpiox/policy.jsonc", denying);
  home.write("project/sub/file", "");
  const warned: string[] = [];
  const policies = new ProjectPolicies(home.path, [{ path: own, level: "project" }], (line) =>
    warned.push(line),
  );
  const namesAt = (folder: string): string[] =>
    policies.at(home.at(folder)).rules.map(({ name }) => name);
  expect(["project", "project/sub", "own", "elsewhere", "."].map(namesAt)).toEqual([
    [`rule 1 of ${path}`],
    [`rule 1 of ${path}`],
    [],
    [],
    [],
  ]);
  expect(warned[0]).toBe(
    `rule 2 of ${path} is ignored: a project's file may only tighten, not allow.`,
  );
  for (let number = 0; number < 2 * policyProjectsMax; number++) namesAt(`many/${number}`);
  expect(namesAt("project")).toHaveLength(1);
});

test("withProject is the same policy where a project has no rules", () => {
  expect(withProject(emptyPolicy, { ...emptyPolicy })).toBe(emptyPolicy);
});

test("withProject makes both together once, until one of them changes", () => {
  const project = { ...emptyPolicy, notes: ["P"], problems: [{ tools: [], message: "broken" }] };
  const user = { ...emptyPolicy, notes: ["U"] };
  const both = withProject(user, project);
  expect([both.notes, withProject(user, project) === both]).toEqual([["U", "P"], true]);
  expect(withProject({ ...user, notes: ["V"] }, project).notes).toEqual(["V", "P"]);
  expect(withProject(user, { ...project, notes: ["Q"] }).notes).toEqual(["U", "Q"]);
});
