import { expect, test } from "bun:test";

import { callKindsMax } from "../../../../src/base/limits.ts";
import { parsePolicy } from "../../../../src/calls/policy/rules/parse-policy.ts";
import { emptyPolicy, policyFor } from "../../../../src/calls/policy/rules/rule.ts";

const policy = parsePolicy(
  JSON.stringify({
    rules: [
      { tool: "bash", match: "rm", action: "deny" },
      { tool: "mcp__one", match: { arguments: { path: "/etc/*" } }, action: "ask" },
      { tool: ["ReadImage", "*Search"], action: "ask" },
      { tool: "WebSearch", match: { nonsense: 1 }, action: "deny" },
    ],
    default: { "Read*": "ask" },
  }),
  "P",
  "user",
);

test.each<[string, readonly string[] | undefined, readonly string[], readonly boolean[]]>([
  ["Bash", undefined, ["rule 1 of P"], [false, true, false]],
  ["mcp__one__tool", ["mcp__one"], ["rule 2 of P"], [true, false, false]],
  ["mcp__one__tool", ["mcp__other"], [], [false, false, false]],
  ["ReadImage", undefined, ["rule 3 of P", "the default for Read* of P"], [false, false, false]],
  ["WebSearch", undefined, ["rule 3 of P"], [false, false, true]],
  ["ListBgTasks", undefined, [], [false, false, false]],
])("policyFor %s, also called %j", (tool, otherNames, names, flags) => {
  const named = { tool, ...(otherNames && { otherNames }) };
  const { rules, defaults, problem, hasPaths, hasPrograms } = policyFor(policy, named);
  expect([...rules, ...defaults].map(({ name }) => name)).toEqual([...names]);
  expect([hasPaths, hasPrograms, problem !== undefined]).toEqual([...flags]);
});

test("policyFor: read once for each tool, of a bounded number of names", () => {
  const first = policyFor(policy, { tool: "Bash" });
  expect(policyFor(policy, { tool: "Bash" })).toBe(first);
  for (let index = 0; index < callKindsMax; index++)
    policyFor(policy, { tool: `made-up-${index}` });
  expect(policyFor(policy, { tool: "Bash" })).not.toBe(first);
  expect(policyFor(policy, { tool: "Bash" })).toEqual(first);
  expect(policyFor(emptyPolicy, { tool: "Bash" }).rules).toEqual([]);
  const long = "x".repeat(1_000);
  expect(policyFor(policy, { tool: long })).not.toBe(policyFor(policy, { tool: long }));
});

test("policyFor: a name that reads like the names of another tool is not that tool", () => {
  const [name, other] = ["mcp__one__made", "mcp__one"];
  expect(policyFor(policy, { tool: JSON.stringify([name, other]) }).rules).toEqual([]);
  expect(
    policyFor(policy, { tool: name, otherNames: [other] }).rules.map((rule) => rule.name),
  ).toEqual(["rule 2 of P"]);
});
