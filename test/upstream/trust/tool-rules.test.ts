import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import type { ServerOptions, ToolRule } from "../../../src/upstream/config/server-entry.ts";
import { createToolGlob, toolGlobMatches } from "../../../src/upstream/trust/tool-glob.ts";
import { ToolRules } from "../../../src/upstream/trust/tool-rules.ts";
import { entry } from "./entry.ts";

describe("[GW-23] toolGlobMatches()", () => {
  test.each([
    ["read", "read", true],
    ["read", "Read", false],
    ["read", "reads", false],
    ["*", "", true],
    ["read_*", "read_", true],
    ["*_file", "read_file", true],
    ["r*d*e", "read_file", true],
    ["**", "x", true],
    ["rea?", "read", true],
    ["rea?", "rea", false],
    ["?", "\u{1f600}", true],
    ["[a-c]x", "bx", true],
    ["[a-c]x", "dx", false],
    ["[!a-c]x", "dx", true],
    ["[^a]x", "ax", false],
    ["[]]x", "]x", true],
    ["[a-]x", "-x", true],
    ["[ab", "[ab", true],
    ["{read,write}_file", "write_file", true],
    ["{read,write}_file", "exec_file", false],
    ["{a,b}{c,d}", "bc", true],
    ["{,un}lock", "lock", true],
    ["{a}", "{a}", true],
    ["{a,b", "{a,b", true],
    ["a.b", "axb", false],
    ["", "", true],
    ["", "a", false],
  ])("%p for %p: %p", (pattern, name, isMatch) => {
    const glob = createToolGlob(pattern);
    expect(glob !== undefined && toolGlobMatches(glob, name)).toBe(isMatch);
  });

  test("a pattern matches itself when nothing in it is special, and no pattern throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.string(), (pattern, name) => {
        const glob = createToolGlob(pattern);
        if (glob === undefined) return;
        toolGlobMatches(glob, name);
        if (!/[*?[\]{}]/.test(pattern)) expect(toolGlobMatches(glob, pattern)).toBe(true);
      }),
    );
  });

  test("the worst pattern ends", () => {
    const glob = createToolGlob(`${"*a".repeat(120)}b`);
    expect(glob && toolGlobMatches(glob, "a".repeat(128))).toBe(false);
  });

  test.each(["x".repeat(257), "{a,b}".repeat(20)])("%.20p… is too much to look at", (pattern) => {
    expect(createToolGlob(pattern)).toBeUndefined();
  });
});

/** As an administrator's rule. */
const managed = { trust: "managed", file: "/m/config.toml" } as const;

const deny = (glob: string, more: Partial<ToolRule> = {}): ToolRule => {
  return { effect: "deny", glob, trust: "user", ...more };
};
const allow = (glob: string, more: Partial<ToolRule> = {}): ToolRule => ({
  ...deny(glob, more),
  effect: "allow",
});

function reason(
  options: Partial<ServerOptions>,
  list: readonly ToolRule[] = [],
): string | undefined {
  return new ToolRules(entry("my.server", options), list).reasonAgainst(
    "files/read",
    "mcp__my_server__files_read_abcdef",
  );
}

describe("[GW-23] ToolRules.reasonAgainst()", () => {
  test.each([
    "mcp__my_server__files_read_abcdef",
    "mcp__my_server__files_read",
    "mcp__my.server__files/read",
    "mcp__my.server__*",
    "mcp__my_server__*",
    "mcp__my_server",
    "mcp__my.server",
    "files/read",
    "files/*",
    "*",
    // Nobody can say what it means.
    "x".repeat(1_000),
  ])("%.40p denies the tool, in the entry and outside of it", (glob) => {
    expect(reason({ deny: [glob] })).toContain("denies it");
    expect(reason({}, [deny(glob)])).toContain("denies it");
    expect(reason({ allow: ["*"] }, [deny(glob), allow("*")])).toContain("denies it");
  });

  test.each([
    [deny("files/read", { server: "my.server" }), true],
    [deny("files/read", { server: "my_server" }), true],
    [deny("files/read", { server: "*" }), true],
    [deny("files/read", { server: "{my.server,other}" }), true],
    [deny("files/read", { server: "x".repeat(1_000) }), true],
    [allow("x", { server: "x".repeat(1_000) }), false],
    [deny("files/read", { server: "other" }), false],
    [deny("mcp__other"), false],
    [deny("mcp__my"), false],
    [deny("read"), false],
  ])("%j denies it: %p", (rule, isDenied) => {
    expect(reason({}, [rule]) !== undefined).toBe(isDenied);
  });

  test.each([
    [["files/*"], [], undefined],
    [["other"], [], "it is not on the user's allow list of its server"],
    [[], [], "it is not on the user's allow list of its server"],
    [undefined, [allow("files/read", { server: "my.server" })], undefined],
    [
      undefined,
      [allow("x", { server: "my.server" })],
      "it is not on the user's allow list of its server",
    ],
    [undefined, [allow("x", { server: "other" })], undefined],
    // A list for full names of another server is none of this one.
    [undefined, [allow("mcp__github__*")], undefined],
    [undefined, [allow("mcp__my.server__x*")], "it is not on the user's allow list of its server"],
    // One for bare names is of all servers.
    [undefined, [allow("x_*")], "it is not on the user's allow list of its server"],
    [undefined, [allow("x_*"), allow("files/*")], undefined],
    [
      ["*"],
      [allow("x", { trust: "project" })],
      "it is not on the project's allow list of its server",
    ],
    [undefined, [allow("y".repeat(1_000))], "it is not on the user's allow list of its server"],
  ])("allow %j and %j: %p", (list, outer, text) => {
    expect(reason(list === undefined ? {} : { allow: list }, outer)).toBe(text);
  });

  test("the strongest deny is named", () => {
    const denies = [deny("files/*", { trust: "project" }), deny("files/*"), deny("*", managed)];
    const texts = denies.map((_, index) => reason({}, denies.slice(0, index + 1)));
    expect(texts).toEqual([
      'the project\'s rule "files/*" denies it',
      'the user\'s rule "files/*" denies it',
      'it is denied by the administrator\'s rules in /m/config.toml: "*"',
    ]);
  });

  const notListed =
    "it is denied by the administrator's rules in /m/config.toml: it is not on their allow list";

  test.each([
    [[allow("files/*", managed)], undefined],
    [[allow("mcp__my_server", managed)], undefined],
    [[allow("*", { ...managed, server: "my.*" })], undefined],
    [[allow("x", { ...managed, server: "my.server" })], notListed],
    // Of another server only: it is a list for all of them all the same.
    [[allow("*", { ...managed, server: "other" })], notListed],
    [[allow("mcp__other", managed)], notListed],
    [[allow("", managed)], notListed],
    [[allow("x".repeat(1_000), managed)], notListed],
    // What the user or an entry allows adds nothing, and what they leave out stays out.
    [[allow("x", managed), allow("*")], notListed],
    [
      [allow("*", managed), allow("x", { server: "my.server" })],
      "it is not on the user's allow list of its server",
    ],
    [[allow("*", managed), deny("*")], 'the user\'s rule "*" denies it'],
  ])("of the administrator's allow list %j: %p", (list, text) => {
    expect(reason({}, list)).toBe(text);
  });
});
