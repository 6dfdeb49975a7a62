import { describe, expect, test } from "bun:test";

import { describeConfigKeys } from "../../scripts/docs/config-table.ts";
import { clientBudgetKey, configKeys, toolKeyName } from "../../src/config/keys.ts";
import { nearestName } from "../../src/config/nearest-name.ts";
import { booleanValue } from "../../src/config/value-types.ts";
import { catalogue } from "../../src/tools/catalogue.ts";

test("describeConfigKeys() has each key with its policy", () => {
  const rows = describeConfigKeys().map((row) => [row.key, row.type, row.default, row.project]);
  expect(rows.slice(0, 6)).toEqual([
    ["TOOLS", "boolean", "true", "narrow"],
    ["STREAMING", "boolean", "true", "set"],
    ["SHELL_PATH", "path", "", "never"],
    ["CLIENT_BUDGET_MS", "integer", "", "never"],
    ["ACTIVE_PROFILE", "profile name", "", "never"],
    ["READDOCS_ALLOW_HOSTS", "host list", "", "never"],
  ]);
  expect(rows.slice(-2)).toEqual([
    [toolKeyName([...catalogue.keys()].at(-1) ?? ""), "boolean", "true", "narrow"],
    ["SKILL_NAME", "boolean", "true", "narrow"],
  ]);
  expect(rows.length).toBe(configKeys.size + 1);
  expect(describeConfigKeys().every((row) => row.help.endsWith("."))).toBe(true);
});

test("the tools have switches, in the order of the catalogue", () => {
  const switches = [...configKeys.keys()].filter((name) => name.startsWith("TOOL_"));
  expect(switches).toEqual([...catalogue.keys()].map(toolKeyName));
});

describe("CLIENT_BUDGET_MS", () => {
  test.each([
    ["0", 0],
    ["1", undefined],
    ["999", undefined],
    ["1000", 1000],
    ["86400000", 86_400_000],
    ["86400001", undefined],
    ["1e4", undefined],
    ["-1", undefined],
    ["5000.5", undefined],
    ["5 000", undefined],
    ["0x1000", undefined],
    ["9".repeat(400), undefined],
  ])("%s is %p", (text, value) => {
    expect(clientBudgetKey.type.parse(text, "")).toEqual(value);
  });
});

test.each([
  ["0 false no off FALSE Off nO", false],
  ["1 true yes on TRUE On yEs", true],
  ["2 tru y n enabled 01 -", undefined],
] as const)("booleans %s are %p", (words, value) => {
  const parsed = words.split(" ").map((word) => booleanValue.parse(word, ""));
  expect([...new Set(parsed)]).toEqual([value]);
});

test.each([
  ["STREMING", "STREAMING"],
  ["tools", "TOOLS"],
  ["TOLOS", "TOOLS"],
  ["X", undefined],
  ["SOMETHING_ELSE", undefined],
] as const)("nearestName() of %s is %p", (name, nearest) => {
  expect(nearestName(name, ["TOOLS", "STREAMING", "SHELL_PATH"])).toEqual(nearest);
});
