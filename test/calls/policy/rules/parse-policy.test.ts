import { describe, expect, test } from "bun:test";

import {
  policyCharsMax,
  policyPatternCharsMax,
  policyRulesMax,
} from "../../../../src/base/limits.ts";
import { parsePolicy } from "../../../../src/calls/policy/rules/parse-policy.ts";
import type { PolicyLevel } from "../../../../src/calls/policy/rules/rule.ts";

const shortOf = (text: string, level: PolicyLevel = "user"): object => {
  const { rules, defaults, problems, notes } = parsePolicy(text, "P", level);
  return {
    rules: rules.map(
      ({ action, tools }) => `${action} ${tools.map(({ pattern }) => pattern).join()}`,
    ),
    defaults: defaults.map(({ action, name }) => `${action}: ${name}`),
    problems: problems.map(({ message, tools }) => [
      tools.map(({ pattern }) => pattern).join(),
      message,
    ]),
    notes,
  };
};
const good = { rules: [], defaults: [], problems: [], notes: [] };
const broken = (tools: string, message: string): object => ({
  ...good,
  problems: [[tools, `P: ${message}`]],
});

describe("parsePolicy", () => {
  test("reads rules and defaults, comments and commas", () => {
    const text = `\uFEFF{
      // what is asked about
      "rules": [ {"tool": ["Bash", "x__*"], "action": "ask", "match": "git push"}, ],
      "default": {"Bash": "ask"}, /* so far */
    }`;
    expect(shortOf(text)).toEqual({
      ...good,
      rules: ["ask Bash,x__*"],
      defaults: ["ask: the default for Bash of P"],
    });
    expect(shortOf("{}")).toEqual(good);
  });

  test.each<[string, object]>([
    ["[]", broken("*", "the file must be an object, not []")],
    ['{"rule": []}', broken("*", 'the file has "rule", not one of rules, default, $schema')],
    ['{"rules": {}}', broken("*", "rules must be a list, not {}")],
    ['{"rules": [3]}', broken("*", "rule 1 of P must be an object, not 3")],
    [
      '{"rules": [{"tool": "Bash"}]}',
      broken("Bash", "rule 1 of P: action must be one of allow, ask, deny, not nothing"),
    ],
    [
      '{"rules": [{"tool": "Bash", "action": "Deny"}]}',
      broken("Bash", 'rule 1 of P: action must be one of allow, ask, deny, not "Deny"'),
    ],
    [
      '{"rules": [{"tool": "", "action": "deny"}]}',
      broken(
        "*",
        `rule 1 of P: tool must be text of 1 to ${policyPatternCharsMax} characters, not ""`,
      ),
    ],
    ['{"rules": [{"tool": [], "action": "deny"}]}', broken("*", "rule 1 of P: tool is empty")],
    [
      '{"rules": [{"tool": "Bash", "action": "deny", "match": ""}]}',
      broken("Bash", "rule 1 of P: match is empty"),
    ],
    [
      '{"rules": [{"tool": "Bash", "action": "deny", "match": {}}]}',
      broken("Bash", "rule 1 of P: match is empty; leave it out for every call of the tool"),
    ],
    [
      '{"rules": [{"tool": "Bash", "action": "deny", "match": {"prog": "x"}}]}',
      broken(
        "Bash",
        'rule 1 of P: match has "prog", not one of program, args, has, writes, arguments',
      ),
    ],
    [
      '{"rules": [{"tool": "Bash", "action": "deny", "reason": 1}]}',
      broken("Bash", "rule 1 of P: reason must be text"),
    ],
    [
      '{"rules": [{"tool": "Bash", "action": "allow", "match": {"arguments": {"command": "npm *"}}}]}',
      broken("Bash", "rule 1 of P: a command is not allowed by its text; name its program instead"),
    ],
    [
      '{"default": {"Bash": "no"}}',
      broken("Bash", 'the default for Bash of P: action must be one of allow, ask, deny, not "no"'),
    ],
  ])("%s", (text, expected) => {
    expect(shortOf(text)).toEqual(expected);
  });

  test("what is no JSON is a problem of every tool", () => {
    expect(shortOf('{"rules": [')).toMatchObject({
      problems: [["*", expect.stringContaining("JSONC")]],
    });
    const { length } = '{"rules": []}';
    expect(shortOf('{"rules": []}'.padEnd(policyCharsMax))).toEqual(good);
    expect(length).toBeLessThan(policyCharsMax);
    expect(shortOf("{}".padEnd(policyCharsMax + 1))).toEqual(
      broken("*", `it is longer than ${policyCharsMax} characters`),
    );
  });

  test("one broken rule leaves the others", () => {
    const text = '{"rules": [{"tool": "A", "action": "x"}, {"tool": "B", "action": "deny"}]}';
    expect(shortOf(text)).toMatchObject({
      rules: ["deny B"],
      problems: [["A", expect.any(String)]],
    });
  });

  test("as many rules as there may be, and one more", () => {
    const file = (count: number): string =>
      JSON.stringify({
        rules: Array.from({ length: count }, () => ({ tool: "A", action: "ask" })),
      });
    expect(parsePolicy(file(policyRulesMax), "P", "user").rules).toHaveLength(policyRulesMax);
    expect(shortOf(file(policyRulesMax + 1))).toEqual(
      broken("*", `rules has more than ${policyRulesMax} elements`),
    );
  });

  test("patterns as long as they may be, and longer", () => {
    const file = (length: number): string =>
      JSON.stringify({
        rules: [{ tool: "A", action: "ask", match: { program: "x".repeat(length) } }],
      });
    expect(parsePolicy(file(policyPatternCharsMax), "P", "user").problems).toEqual([]);
    expect(parsePolicy(file(policyPatternCharsMax + 1), "P", "user").problems).toHaveLength(1);
  });

  test("a project may only tighten", () => {
    const text =
      '{"rules": [{"tool": "A", "action": "allow"}, {"tool": "B", "action": "ask"}, {"tool": "C", "action": "deny"}], "default": {"*": "allow", "B": "ask"}}';
    const ignored = "is ignored: a project's file may only tighten, not allow.";
    expect(shortOf(text, "project")).toEqual({
      rules: ["ask B", "deny C"],
      defaults: ["ask: the default for B of P"],
      problems: [],
      notes: [`rule 1 of P ${ignored}`, `the default for * of P ${ignored}`],
    });
    expect(shortOf(text, "managed")).toMatchObject({
      notes: [],
      rules: ["allow A", "ask B", "deny C"],
    });
  });
});
